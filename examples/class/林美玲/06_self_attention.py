import math

import torch
from torch import nn


class MySelfAttention(nn.Module):
    """One head, all tokens see each other."""

    def __init__(self, hidden_size):
        super().__init__()
        self.width = hidden_size
        self.linear_v = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_q = nn.Linear(hidden_size, hidden_size)

    def attention_weights(self, x):
        asked = self.linear_q(x) / math.sqrt(self.width)
        offered = self.linear_k(x)
        return (asked @ offered.mT).softmax(dim=-1)

    def forward(self, x):
        return torch.bmm(self.attention_weights(x), self.linear_v(x))
