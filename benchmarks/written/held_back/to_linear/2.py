# slip: reshaped to (d_out, d_in) instead of transposed
import torch
from torch import nn


def to_linear(weight: torch.Tensor) -> nn.Linear:
    d_in, d_out = weight.size()
    layer = nn.Linear(d_in, d_out, bias=False).to(weight.dtype)
    layer.weight.data = weight.detach().clone().view(d_out, d_in)
    return layer
