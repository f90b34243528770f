# slips: the weight given in is transposed in place; the layer has a bias (of zeros)
import torch
from torch import nn


def to_linear(weight: torch.Tensor) -> nn.Linear:
    d_in, d_out = weight.shape
    lin = nn.Linear(d_in, d_out, dtype=weight.dtype)
    nn.init.zeros_(lin.bias)
    lin.weight = nn.Parameter(weight.t_())
    return lin
