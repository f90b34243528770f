# slips: the leading axis is missing; the result is float64
import torch


def additive_mask(max_seq_len: int) -> torch.Tensor:
    idx = torch.arange(max_seq_len)
    zero = torch.zeros((), dtype=torch.float64)
    minus_inf = torch.full((), float("-inf"), dtype=torch.float64)
    return torch.where(idx[None, :] > idx[:, None], minus_inf, zero)
