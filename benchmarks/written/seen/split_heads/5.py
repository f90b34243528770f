# slip: split(x, num_heads) makes pieces of width num_heads instead of num_heads pieces
import torch


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    if x.size(-1) % num_heads != 0:
        raise ValueError(f"{x.size(-1)} is not divisible by {num_heads}")
    pieces = torch.split(x, num_heads, dim=-1)
    return torch.stack(pieces, dim=1)
