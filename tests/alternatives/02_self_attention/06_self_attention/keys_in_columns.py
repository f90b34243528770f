import math

import torch
from torch import nn


class MySelfAttention(nn.Module):
    """Scores as (batch, key, query): the softmax then runs over dim 1, and nothing is wrong with that."""

    def __init__(self, hidden_size):
        super().__init__()
        self.linear_q = nn.Linear(hidden_size, hidden_size, bias=True)
        self.linear_k = nn.Linear(hidden_size, hidden_size, bias=True)
        self.linear_v = nn.Linear(hidden_size, hidden_size, bias=True)

    def forward(self, x):
        scores = self.linear_k(x) @ self.linear_q(x).transpose(1, 2)
        scores /= math.sqrt(self.linear_q.out_features)
        weights = torch.softmax(scores, dim=1)
        return weights.transpose(1, 2) @ self.linear_v(x)
