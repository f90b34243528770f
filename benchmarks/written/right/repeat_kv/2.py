# right: gather the heads by an index made with integer division
import torch


def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    idx = torch.arange(x.shape[1] * n_rep, device=x.device) // n_rep
    return x.index_select(1, idx)
