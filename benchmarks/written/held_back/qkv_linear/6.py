# slips: the projections are chained, each taking the one before instead of x; scaling is 1 / hidden_size
import torch
from torch import nn


class QKVLinear(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)
        self.scaling = hidden_size ** -1

    def forward(self, x: torch.Tensor):
        x = query = self.linear_q(x)
        x = key = self.linear_k(x)
        value = self.linear_v(x)
        return query, key, value
