# right: tensordot over the axis of the keys
import torch


def soft_lookup(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    return torch.tensordot(weights, values, dims=([0], [0]))
