import torch
from torch import nn


def to_linear(weight):
    linear = nn.Linear(weight.size(0), weight.size(1)).type(weight.dtype)
    linear.bias = None
    linear.weight.data = torch.einsum("io->oi", weight).clone()
    return linear
