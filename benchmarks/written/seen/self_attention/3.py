# slip: scaled by the number of tokens (the last axis of the scores) instead of the hidden size
import math

import torch
import torch.nn as nn


class MySelfAttention(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.linear_q(x), self.linear_k(x), self.linear_v(x)
        scores = torch.einsum("bid,bjd->bij", q, k)
        scores = scores / math.sqrt(scores.size(-1))
        probs = scores.softmax(dim=-1)
        return torch.einsum("bij,bjd->bid", probs, v)
