import torch


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    *_, width = x.shape
    if width // num_heads * num_heads != width:
        raise AssertionError
    return torch.movedim(x.unflatten(-1, (num_heads, -1)), -2, -3)
