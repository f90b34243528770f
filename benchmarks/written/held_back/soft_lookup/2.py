# slip: for vector values the sum runs over the width too, so a single number comes back
import torch


def soft_lookup(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    if values.dim() == 2:
        weights = weights[:, None]
    weighted = weights * values
    return torch.sum(weighted)
