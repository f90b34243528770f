# slip: the matrix is copied without transposing it (the layer gets in and out features exchanged to fit)
import torch
from torch import nn


def to_linear(weight: torch.Tensor) -> nn.Linear:
    linear = nn.Linear(weight.shape[1], weight.shape[0], bias=False, dtype=weight.dtype)
    with torch.no_grad():
        linear.weight.copy_(weight)
    return linear
