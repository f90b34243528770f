# slip: the permutation puts the heads last, so the heads' numbers are interleaved
import torch


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    b, h, n, d = x.size()
    x = x.permute(0, 2, 3, 1).contiguous()
    return x.view(b, n, d * h)
