# slip: the layer stays float32 whatever the dtype of the weight is
import torch
from torch import nn


def to_linear(weight: torch.Tensor) -> nn.Linear:
    linear = nn.Linear(weight.shape[0], weight.shape[1], bias=False)
    linear.weight = nn.Parameter(weight.detach().float().t().contiguous())
    return linear
