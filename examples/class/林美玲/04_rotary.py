from functools import lru_cache
import torch


@lru_cache(maxsize=None)
def table(length, half, base):
    speed = torch.tensor(1.0 / base) ** (torch.arange(half) / half)
    angle = torch.arange(length).view(-1, 1) * speed
    return torch.stack([angle.cos(), angle.sin()])


def apply_rotary(x, base=10000.0, offset=0):
    n, half = x.shape[2], x.shape[3] // 2
    cos, sin = table(256, half, float(base))[:, offset : offset + n].to(x)
    out = torch.empty_like(x)
    out[..., :half] = x[..., :half] * cos - x[..., half:] * sin
    out[..., half:] = x[..., :half] * sin + x[..., half:] * cos
    return out
