# slip: visible places hold 1 instead of 0
import torch


def additive_mask(max_seq_len: int) -> torch.Tensor:
    m = torch.tril(torch.ones(max_seq_len, max_seq_len))
    m = m.masked_fill(m == 0, float("-inf"))
    return m.unsqueeze(0)
