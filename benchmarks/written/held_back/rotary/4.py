# slip: positions start at one instead of zero
import torch


def apply_rotary(x: torch.Tensor, base: float = 10000.0, offset: int = 0) -> torch.Tensor:
    batch_size, num_heads, seq_len, head_dim = x.shape
    assert head_dim % 2 == 0, "Head dimension must be even"
    inv_freq = 1.0 / (base ** (torch.arange(0, head_dim, 2)[: (head_dim // 2)].double() / head_dim))
    positions = torch.arange(1, seq_len + 1).double() + offset
    angles = positions.unsqueeze(1) * inv_freq.unsqueeze(0)
    angles = torch.cat([angles, angles], dim=1)
    cos = torch.cos(angles).unsqueeze(0).unsqueeze(0)
    sin = torch.sin(angles).unsqueeze(0).unsqueeze(0)
    x1 = x[..., : head_dim // 2]
    x2 = x[..., head_dim // 2 :]
    rotated = torch.cat((-x2, x1), dim=-1)
    return (x * cos + rotated * sin).to(dtype=x.dtype)
