# slip: the angles are repeated with repeat_interleave while the vector is rotated in halves
import torch


def apply_rotary(x: torch.Tensor, base: float = 10000.0, offset: int = 0) -> torch.Tensor:
    L, D = x.size(2), x.size(3)
    freq = torch.pow(torch.tensor(float(base), dtype=x.dtype), -torch.arange(0, D, 2, dtype=x.dtype) / D)
    ang = torch.outer(torch.arange(offset, offset + L, dtype=x.dtype), freq).repeat_interleave(2, dim=-1)
    first, second = x.chunk(2, dim=-1)
    turned = torch.cat([-second, first], dim=-1)
    return x * torch.cos(ang) + turned * torch.sin(ang)
