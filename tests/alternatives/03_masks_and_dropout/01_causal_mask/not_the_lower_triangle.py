import torch


def causal_mask(n):
    return ~torch.ones((n, n)).tril().bool()
