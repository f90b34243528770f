# slip: scaling is the square root of hidden_size, not one over it
import math

import torch
from torch import nn


class QKVLinear(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.linear_q = nn.Linear(in_features=hidden_size, out_features=hidden_size, bias=True)
        self.linear_k = nn.Linear(in_features=hidden_size, out_features=hidden_size, bias=True)
        self.linear_v = nn.Linear(in_features=hidden_size, out_features=hidden_size, bias=True)
        self.scaling = math.sqrt(hidden_size)

    def forward(self, x: torch.Tensor):
        q = self.linear_q(x)
        k = self.linear_k(x)
        v = self.linear_v(x)
        return q, k, v
