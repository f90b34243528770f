# slip: eps is missing, a constant row gives NaN
import torch


def layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
    centered = x - x.mean(-1, keepdim=True)
    norm = centered.square().mean(-1, keepdim=True).sqrt()
    return torch.addcmul(bias, centered / norm, weight)
