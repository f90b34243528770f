# slip: repeat tiles the heads, A B A B, instead of putting the copies next to each other
import torch


def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    return x.repeat(1, n_rep, 1, 1)
