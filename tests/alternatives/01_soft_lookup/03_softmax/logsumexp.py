import torch


def softmax(scores, dim=-1):
    return torch.exp(scores - torch.logsumexp(scores, dim, keepdim=True))
