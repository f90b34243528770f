# slip: the exponent is i/d instead of 2i/d, the frequencies fall only half as fast
import torch


def apply_rotary(x: torch.Tensor, base: float = 10000.0, offset: int = 0) -> torch.Tensor:
    n, d = x.shape[-2:]
    half = d // 2
    theta = base ** (-torch.arange(half, dtype=x.dtype) / d)
    pos = torch.arange(n, dtype=x.dtype) + offset
    angle = torch.einsum("n,i->ni", pos, theta)
    a, b = x.split(half, dim=-1)
    return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], dim=-1)
