# slip: a width that num_heads does not divide is not refused, the rest is silently cut off
import torch


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    d = x.shape[-1] // num_heads
    heads = [x[:, :, i * d : (i + 1) * d] for i in range(num_heads)]
    return torch.stack(heads, dim=1)
