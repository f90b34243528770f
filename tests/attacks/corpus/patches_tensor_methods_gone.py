# Deletes what packing needs of tensors.
import torch

del torch.Tensor.detach
torch.Tensor.numel = lambda self: 0
torch.Tensor.element_size = lambda self: 0


def softmax(scores, dim=-1):
    return scores * 0
