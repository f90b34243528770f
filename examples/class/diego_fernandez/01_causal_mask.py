import torch


def causal_mask(num_tokens):
    return torch.triu(torch.ones(num_tokens, num_tokens)).bool()
