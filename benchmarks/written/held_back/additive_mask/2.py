# slip: triu keeps the diagonal, every token is hidden from itself
import torch


def additive_mask(max_seq_len: int) -> torch.Tensor:
    mask = torch.full((1, max_seq_len, max_seq_len), float("-inf"))
    mask = torch.triu(mask)
    return mask
