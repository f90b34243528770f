# slip: two leading axes (1, 1, n, n) as for heads, instead of one
import torch


def additive_mask(max_seq_len: int) -> torch.Tensor:
    mask = torch.full((1, 1, max_seq_len, max_seq_len), float("-inf"))
    mask = torch.triu(mask, diagonal=1)
    return mask
