# slips: the bias is added before the stretching; the eps argument is ignored in favour of 1e-6
import torch


def layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
    variance, mean = torch.var_mean(x, dim=-1, keepdim=True, correction=0)
    y = (x - mean) * torch.rsqrt(variance + 1e-6)
    return (y + bias) * weight
