from typing import NamedTuple

import numpy as np
import torch
from torch import nn


class Projections(NamedTuple):
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor


class Projection(nn.Linear):
    def __init__(self, width):
        super().__init__(width, width)
        nn.init.xavier_uniform_(self.weight)
        nn.init.zeros_(self.bias)


class QKVLinear(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.linear_q = Projection(hidden_size)
        self.linear_k = Projection(hidden_size)
        self.linear_v = Projection(hidden_size)
        self.dropout = nn.Dropout(0.0)
        self.scaling = 1 / np.sqrt(hidden_size)

    def forward(self, x):
        return Projections(query=self.linear_q(x), key=self.linear_k(x), value=self.linear_v(x))
