# slip: after bmm the joined axis is taken apart as heads, batch instead of batch, heads
import torch


def head_scores(a: torch.Tensor) -> torch.Tensor:
    b, h, n, d = a.shape
    flat = a.reshape(b * h, n, d)
    out = torch.bmm(flat, flat.mT)
    return out.view(h, b, n, n).transpose(0, 1)
