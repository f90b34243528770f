# A nested tensor.
import torch


def softmax(scores, dim=-1):
    return torch.nested.nested_tensor([scores.detach()])
