import torch


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    return torch.movedim(x, -3, -2).flatten(start_dim=-2)
