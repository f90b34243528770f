# right: unflatten and movedim
import torch


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    width = x.shape[-1]
    if width % num_heads:
        raise ValueError("num_heads has to divide the width")
    return x.unflatten(-1, (num_heads, width // num_heads)).movedim(2, 1)
