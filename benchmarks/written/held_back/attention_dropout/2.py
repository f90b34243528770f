# slip: p is taken for the probability to keep: bernoulli(p) and division by p
import torch


def attention_dropout(weights: torch.Tensor, p: float, training: bool = True) -> torch.Tensor:
    if not training or p == 0:
        return weights
    mask = torch.bernoulli(torch.full_like(weights, p))
    return weights * mask / p
