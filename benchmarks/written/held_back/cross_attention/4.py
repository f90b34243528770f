# slip: keys and values come from x and memory together, as if x could look at itself too
import math

import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)

    def forward(self, x, memory):
        context = torch.cat([x, memory], dim=1)
        q = self.linear_q(x)
        k, v = self.linear_k(context), self.linear_v(context)
        sim = torch.einsum("b i d, b j d -> b i j", q, k) / math.sqrt(q.shape[-1])
        attn = sim.softmax(dim=-1)
        return torch.einsum("b i j, b j d -> b i d", attn, v)
