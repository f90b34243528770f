# slip: the values are multiplied in place, so the caller's values change
import torch


def soft_lookup(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    if values.dim() > 1:
        weights = weights.unsqueeze(-1)
    values *= weights
    return values.sum(dim=0)
