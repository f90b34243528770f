# slip: the diagonal is hidden as well (j >= i)
import torch


def causal_mask(num_tokens: int) -> torch.Tensor:
    i = torch.arange(num_tokens)[:, None]
    j = torch.arange(num_tokens)[None, :]
    return j >= i
