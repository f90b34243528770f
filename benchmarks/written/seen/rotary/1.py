# slip: neighbours are paired (even and odd entries) instead of halves
import torch


def apply_rotary(x, base=10000.0, offset=0):
    b, h, n, d = x.shape
    inv_freq = 1.0 / (base ** (torch.arange(0, d, 2, dtype=torch.float32) / d))
    t = torch.arange(offset, offset + n, dtype=torch.float32)
    freqs = torch.outer(t, inv_freq)
    cos, sin = freqs.cos().to(x.dtype), freqs.sin().to(x.dtype)
    x1, x2 = x[..., 0::2], x[..., 1::2]
    y = torch.stack((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1)
    return y.flatten(-2)
