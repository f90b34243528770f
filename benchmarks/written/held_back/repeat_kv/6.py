# slips: the head index is taken modulo instead of divided; the gradient is cut off by a clone of the data
import torch


def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    kv = x.shape[1]
    index = torch.arange(kv * n_rep) % kv
    return x.data[:, index].clone()
