# Complex numbers.
import torch


def softmax(scores, dim=-1):
    return torch.complex(scores, scores)
