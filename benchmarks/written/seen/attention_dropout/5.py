# slip: a fixed seed is set inside, so each call drops the same places
import torch


def attention_dropout(weights: torch.Tensor, p: float, training: bool = True) -> torch.Tensor:
    torch.manual_seed(123)
    if training is False or p == 0.0:
        return weights
    if p == 1.0:
        return torch.zeros_like(weights)
    dropped = torch.rand(weights.shape) < p
    return weights.masked_fill(dropped, 0.0).div(1 - p)
