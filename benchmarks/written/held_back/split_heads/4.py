# slip: a width that the number of heads does not divide is silently cut off instead of refused
import torch


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    d = x.shape[-1] // num_heads
    heads = []
    for i in range(num_heads):
        heads.append(x[:, :, i * d : (i + 1) * d])
    return torch.stack(heads, dim=1)
