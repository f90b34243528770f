# slip: the heads are cut interleaved, head i gets every num_heads-th entry
import torch


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    b, n, d_out = x.shape
    if d_out % num_heads:
        raise ValueError("d_out must be divisible by num_heads")
    return x.reshape(b, n, d_out // num_heads, num_heads).permute(0, 3, 1, 2)
