# right: random numbers floored, as in stochastic depth code
import torch


def attention_dropout(weights: torch.Tensor, p: float, training: bool = True) -> torch.Tensor:
    if p == 0 or not training:
        return weights
    keep_prob = 1 - p
    if keep_prob <= 0:
        return torch.zeros_like(weights)
    random_tensor = keep_prob + torch.rand(weights.shape, dtype=weights.dtype)
    binary = random_tensor.floor().clamp(max=1)
    return weights.div(keep_prob) * binary
