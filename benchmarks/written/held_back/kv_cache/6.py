# slips: the offset of the mask counts one token too few with a cache, so the newest token does not see itself; the scaling is missing
import torch
from torch import nn


class CachedAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head):
        super().__init__()
        if hidden_dim % nums_head:
            raise ValueError
        self.nh = nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, c = x.size()
        shape = (b, t, self.nh, c // self.nh)
        xq = self.q_proj(x).view(shape).transpose(1, 2)
        xk = self.k_proj(x).view(shape).transpose(1, 2)
        xv = self.v_proj(x).view(shape).transpose(1, 2)
        start_pos = 0
        if cache is not None:
            start_pos = cache[0].shape[2]
            xk = torch.cat([cache[0], xk], dim=2)
            xv = torch.cat([cache[1], xv], dim=2)
        scores = torch.matmul(xq, xk.transpose(2, 3))
        last = start_pos - 1 if start_pos > 0 else 0
        mask = torch.ones(t, start_pos + t, dtype=torch.bool).triu(last + 1)
        scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
        output = torch.matmul(scores.softmax(-1), xv)
        return self.o_proj(output.transpose(1, 2).reshape(b, t, c)), (xk, xv)
