import torch


def soft_lookup(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    if values.dim() == 2:
        weights = weights[:, None]
    return torch.mul(weights, values).sum(dim=0)
