import torch


def causal_mask(num_tokens):
    seen = torch.eye(num_tokens, dtype=torch.int64)
    return (seen.cumsum(dim=-1) - seen).to(torch.bool)
