# slips: the tensor is viewed as (b, heads, n, d) at once without moving the axes; no check that num_heads divides the width
import torch


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    B, T, C = x.size()
    return x.contiguous().view(B, num_heads, T, C // num_heads)
