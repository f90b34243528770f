from functools import lru_cache

import torch


@lru_cache
def causal_mask(num_tokens):
    """A view that is not contiguous, and the same tensor at every call."""
    rows, columns = torch.tril_indices(num_tokens, num_tokens, offset=-1)
    past = torch.zeros(num_tokens, num_tokens, dtype=bool)
    past[rows, columns] = 1
    return past.T
