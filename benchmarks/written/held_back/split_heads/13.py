# slip: torch.split is given the number of heads as the size of a piece
import torch


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    if x.size(2) % num_heads != 0:
        raise ValueError(f"{x.size(2)} is not a multiple of {num_heads}")
    pieces = torch.split(x, num_heads, dim=2)
    return torch.stack(pieces, dim=1)
