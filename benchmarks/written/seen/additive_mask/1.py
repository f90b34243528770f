# slip: the fill is -1e9 instead of -inf
import torch


def additive_mask(max_seq_len: int) -> torch.Tensor:
    mask = torch.full((1, max_seq_len, max_seq_len), -1e9)
    return torch.triu(mask, diagonal=1)
