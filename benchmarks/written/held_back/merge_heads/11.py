# slip: the axes are permuted to (b, n, d, h) before they are joined, so the heads are interleaved
import torch


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    b, h, n, d = x.shape
    out = x.permute(0, 2, 3, 1).contiguous()
    return out.view(b, n, h * d)
