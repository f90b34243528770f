import torch

print(torch.rand(3) @ torch.rand(3))
