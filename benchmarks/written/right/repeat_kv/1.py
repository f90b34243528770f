# right: index_select with the integer division of a range
import torch


def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    which = torch.arange(x.shape[1] * n_rep, device=x.device).div(n_rep, rounding_mode="floor")
    return x.index_select(1, which)
