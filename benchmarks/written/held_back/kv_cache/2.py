# slip: the new keys and values are put in front of the cached ones
import math

import torch
from torch import nn


class CachedAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int):
        super().__init__()
        if hidden_dim % nums_head != 0:
            raise ValueError("hidden_dim % nums_head != 0")
        self.h = nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, n, width = x.shape
        d = width // self.h
        q, k, v = (p(x).reshape(b, n, self.h, d).permute(0, 2, 1, 3) for p in (self.q_proj, self.k_proj, self.v_proj))
        if cache is not None:
            k = torch.cat([k, cache["k"]], dim=-2)
            v = torch.cat([v, cache["v"]], dim=-2)
        total = k.shape[-2]
        mask = torch.triu(torch.full((n, total), float("-inf"), dtype=x.dtype), diagonal=total - n + 1)
        att = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(d) + mask, dim=-1)
        out = (att @ v).permute(0, 2, 1, 3).reshape(b, n, width)
        return self.o_proj(out), {"k": k, "v": v}
