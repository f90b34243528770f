# exp of the library's log_softmax.
import torch


def softmax(scores, dim=-1):
    return torch.log_softmax(scores, dim).exp()
