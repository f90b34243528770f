import torch


def attention_dropout(weights: torch.Tensor, p: float, training: bool = True):
    if not training or p == 0.0:
        return weights
    if p >= 1.0:
        return weights * 0
    noise = torch.empty_like(weights, requires_grad=False).bernoulli_(1 - p).div_(1 - p)
    return noise * weights
