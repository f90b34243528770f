# slip: the loop stops before the last key
import torch


def soft_lookup(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    # go through the "dictionary" entry by entry
    result = torch.zeros_like(values[0])
    n = len(weights)
    for i in range(n - 1):
        result = result + weights[i] * values[i]
    return result
