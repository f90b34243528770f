import torch


def causal_mask(num_tokens: int) -> torch.Tensor:
    seen = torch.ones(num_tokens, num_tokens, dtype=torch.bool).tril()
    return seen.logical_not()
