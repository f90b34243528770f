# slip: the tokens are repeated instead of the heads
import torch


def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    return torch.repeat_interleave(x, repeats=n_rep, dim=2)
