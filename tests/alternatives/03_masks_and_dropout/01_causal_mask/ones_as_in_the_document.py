import torch


def causal_mask(num_tokens):
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1)
    return mask.bool()
