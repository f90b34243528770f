# right: unflatten and movedim
import torch


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    width = x.size(-1)
    head_dim, rest = divmod(width, num_heads)
    if rest != 0:
        raise ValueError("the heads do not fit into the width")
    return x.unflatten(-1, (num_heads, head_dim)).movedim(-2, -3)
