# slip: sine and cosine are exchanged
import torch


def sinusoidal_positions(num_tokens: int, d_model: int) -> torch.Tensor:
    i = torch.arange(d_model // 2)
    omega = torch.pow(10000.0, -2 * i / d_model)
    ang = torch.arange(num_tokens)[:, None] * omega[None, :]
    return torch.stack([torch.cos(ang), torch.sin(ang)], dim=2).reshape(num_tokens, d_model)
