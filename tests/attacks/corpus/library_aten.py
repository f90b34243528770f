# The operator below the library's function.
import torch


def softmax(scores, dim=-1):
    return torch.ops.aten._softmax(scores, dim, False)
