import math

import torch
import torch.nn.functional as F


class QKVLinear(torch.nn.Module):
    """All three in one matrix product."""

    def __init__(self, hidden_size):
        super().__init__()
        for name in "vkq":
            self.add_module(f"linear_{name}", torch.nn.Linear(hidden_size, hidden_size))
        self.scaling = 1 / math.sqrt(hidden_size)

    def forward(self, x):
        layers = self.linear_q, self.linear_k, self.linear_v
        weight = torch.cat([layer.weight for layer in layers])
        bias = torch.cat([layer.bias for layer in layers])
        return F.linear(x, weight, bias).chunk(3, dim=-1)
