import math
from typing import NamedTuple, Optional

import torch
from torch import nn


class Cache(NamedTuple):
    keys: torch.Tensor
    values: torch.Tensor
    seen: int


class CachedAttention(nn.Module):
    """Room is made ahead and filled in, on a clone, so that the old cache stays as it was."""

    def __init__(self, hidden_dim, nums_head):
        super().__init__()
        if hidden_dim % nums_head:
            raise AssertionError
        self.nums_head = nums_head
        self.q_proj, self.k_proj = nn.Linear(hidden_dim, hidden_dim), nn.Linear(hidden_dim, hidden_dim)
        self.v_proj, self.o_proj = nn.Linear(hidden_dim, hidden_dim), nn.Linear(hidden_dim, hidden_dim)

    def split(self, t):
        b, n, d = t.shape
        return t.reshape(b, n, self.nums_head, d // self.nums_head).permute(0, 2, 1, 3)

    def grown(self, room, seen, new):
        longer = new.new_zeros(*new.shape[:2], 2 * (seen + new.shape[2]), new.shape[3])
        if room is not None:
            longer[:, :, :seen] = room[:, :, :seen]
        longer[:, :, seen : seen + new.shape[2]] = new
        return longer

    def forward(self, x, cache: Optional[Cache] = None):
        b, n, d = x.shape
        seen = cache.seen if cache else 0
        keys = self.grown(cache.keys if cache else None, seen, self.split(self.k_proj(x)))
        values = self.grown(cache.values if cache else None, seen, self.split(self.v_proj(x)))
        q = self.split(self.q_proj(x)) / math.sqrt(d // self.nums_head)
        rows = []
        for i in range(n):
            end = seen + i + 1
            w = (q[:, :, i : i + 1] @ keys[:, :, :end].mT).softmax(dim=-1)
            rows.append(w @ values[:, :, :end])
        out = torch.cat(rows, dim=2).transpose(1, 2).contiguous().view(b, n, d)
        return self.o_proj(out), Cache(keys, values, seen + n)
