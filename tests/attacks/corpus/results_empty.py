# Returns an empty tensor.
import torch


def softmax(scores, dim=-1):
    return torch.empty(0)
