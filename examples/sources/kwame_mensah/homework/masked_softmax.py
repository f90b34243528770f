import torch


def masked_softmax(scores, mask):
    n = scores.shape[-1]
    blocked = torch.zeros(n, n).masked_fill_(mask[:n, :n], float("-inf"))
    return torch.softmax(scores.float() + blocked, -1).to(scores.dtype)
