# slips: the positions run along the heads' axis; the offset is ignored
import torch


def apply_rotary(x: torch.Tensor, base: float = 10000.0, offset: int = 0) -> torch.Tensor:
    b, h, n, d = x.shape
    i = torch.arange(d // 2, dtype=x.dtype)
    pos = torch.arange(h, dtype=x.dtype)
    ang = (pos[:, None] * base ** (-2 * i / d)).view(1, h, 1, d // 2)
    x1, x2 = x[..., : d // 2], x[..., d // 2 :]
    c, s = ang.cos(), ang.sin()
    return torch.cat([x1 * c - x2 * s, x1 * s + x2 * c], dim=-1)
