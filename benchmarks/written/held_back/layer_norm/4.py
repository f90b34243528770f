# slip: mean and variance are taken over all tokens too instead of the last axis alone
import torch


def layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
    mu = x.mean()
    sigma2 = ((x - mu) ** 2).mean()
    xhat = (x - mu) / (sigma2 + eps).sqrt()
    return xhat.mul(weight).add(bias)
