# Returns ones.
import torch


def softmax(scores, dim=-1):
    return torch.ones_like(scores)
