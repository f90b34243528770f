# slip: the products are averaged over the keys instead of summed
import torch


def soft_lookup(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    w = weights.view(-1, *([1] * (values.ndim - 1)))
    out = (w * values).mean(dim=0)
    return out
