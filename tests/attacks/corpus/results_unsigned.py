# Returns unsigned 64-bit numbers.
import torch


def softmax(scores, dim=-1):
    return torch.ones(scores.shape).to(torch.uint64)
