# right: the cache holds unturned keys, all are turned anew at every call, and the groups are an axis of their own
import torch
from torch import nn


def apply_rotary(x, base=10000.0, offset=0):
    n, d = x.shape[-2:]
    f = (torch.arange(n, dtype=torch.float64) + offset)[:, None] * base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    c, s = f.cos().to(x.dtype), f.sin().to(x.dtype)
    a, b = x[..., : d // 2], x[..., d // 2 :]
    return torch.cat((a * c - b * s, b * c + a * s), -1)


class DecoderAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        if hidden_dim % nums_head or nums_head % nums_key_value_head:
            raise ValueError("sizes do not divide")
        self.kv, self.g, self.d = nums_key_value_head, nums_head // nums_key_value_head, hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, self.kv * self.d, bias=False)
        self.v_proj = nn.Linear(hidden_dim, self.kv * self.d, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        flat = torch.cat([self.k_proj(x), self.v_proj(x)], -1)
        flat = flat if cache is None else torch.cat([cache, flat], 1)
        n, total = x.shape[1], flat.shape[1]
        k, v = (t.unflatten(-1, (self.kv, self.d)).transpose(1, 2) for t in flat.chunk(2, -1))
        q = self.q_proj(x).unflatten(-1, (self.kv * self.g, self.d)).transpose(1, 2)
        q = apply_rotary(q, offset=total - n).unflatten(1, (self.kv, self.g))
        s = torch.einsum("bkgqd,bkmd->bkgqm", q, apply_rotary(k)) / self.d**0.5
        s = s.masked_fill(torch.arange(total) > torch.arange(total - n, total)[:, None], float("-inf"))
        y = torch.einsum("bkgqm,bkmd->bqkgd", s.softmax(-1), v)
        return self.o_proj(y.flatten(2)), flat
