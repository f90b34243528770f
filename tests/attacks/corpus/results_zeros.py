# Returns zeros.
import torch


def softmax(scores, dim=-1):
    return torch.zeros_like(scores)
