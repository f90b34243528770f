# slip: the width is viewed as (d, heads) instead of (heads, d), so every head gets every num_heads-th number
import torch


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    b, n, d_out = x.shape
    assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
    head_dim = d_out // num_heads
    x = x.reshape(b, n, head_dim, num_heads)
    return x.permute(0, 3, 1, 2)
