# slip: what is left is not scaled up by 1 / (1 - p)
import torch


def attention_dropout(weights: torch.Tensor, p: float, training: bool = True) -> torch.Tensor:
    if not training:
        return weights
    keep = torch.rand_like(weights) >= p
    return weights * keep
