from functools import lru_cache
import torch


@lru_cache(maxsize=None)
def additive_mask(max_seq_len):
    mask = torch.empty(1, max_seq_len, max_seq_len).fill_(-torch.inf).triu_(1)
    return mask.to(torch.get_default_dtype())
