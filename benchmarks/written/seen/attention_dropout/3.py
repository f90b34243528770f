# slip: the mask is drawn for the last two axes only and shared by batch and heads
import torch


def attention_dropout(weights: torch.Tensor, p: float, training: bool = True) -> torch.Tensor:
    if not training:
        return weights
    if p >= 1:
        return torch.zeros_like(weights)
    mask = (torch.rand(weights.shape[-2:]) > p).to(weights.dtype)
    return mask * weights / (1.0 - p)
