import math

import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.hidden_size = hidden_size
        for name in ("linear_q", "linear_k", "linear_v"):
            setattr(self, name, nn.Linear(hidden_size, hidden_size))

    def forward(self, x, memory):
        q = self.linear_q(x) / math.sqrt(self.hidden_size)
        scores = torch.einsum("bqd,bkd->bqk", q, self.linear_k(memory))
        return torch.einsum("bqk,bkd->bqd", scores.softmax(2), self.linear_v(memory))
