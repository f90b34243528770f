# slip: the mask is of int dtype, ones and zeros instead of booleans
import torch


def causal_mask(num_tokens: int) -> torch.Tensor:
    return torch.triu(torch.ones((num_tokens, num_tokens), dtype=torch.int), diagonal=1)
