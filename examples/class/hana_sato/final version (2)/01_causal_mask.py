import torch


def causal_mask(num_tokens):
    return torch.ones(num_tokens, num_tokens).triu(1) == 1
