# slip: rotate_half without the minus sign on the second half
import torch


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((x2, x1), dim=-1)


def apply_rotary(x: torch.Tensor, base: float = 10000.0, offset: int = 0) -> torch.Tensor:
    dim = x.shape[-1]
    inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2).to(x.dtype) / dim))
    position_ids = torch.arange(x.shape[-2]).to(x.dtype) + offset
    freqs = position_ids[:, None] * inv_freq[None, :]
    emb = torch.cat((freqs, freqs), dim=-1)
    return x * emb.cos() + rotate_half(x) * emb.sin()
