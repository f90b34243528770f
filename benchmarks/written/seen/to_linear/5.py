# slip: the layer's weight is frozen with requires_grad=False
import torch
from torch import nn


def to_linear(weight: torch.Tensor) -> nn.Linear:
    out = nn.Linear(*weight.shape, bias=False)
    out.weight = nn.Parameter(weight.detach().permute(1, 0).clone(), requires_grad=False)
    return out
