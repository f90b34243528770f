# slips: negative weights are cut to 0; the weights are divided by their sum
import torch


def soft_lookup(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    probs = weights.clamp(min=0)
    probs = probs / probs.sum()
    return torch.matmul(probs, values)
