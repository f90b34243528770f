# slip: the cache's length is not passed to the rotary, every chunk's places start at 0
import torch
import torch.nn.functional as F
from torch import nn


def apply_rotary(x, base=10000.0, offset=0):
    d = x.shape[-1]
    inv = base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    t = torch.arange(offset, offset + x.shape[-2], dtype=x.dtype)
    a = torch.outer(t, inv)
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat([x1 * a.cos() - x2 * a.sin(), x1 * a.sin() + x2 * a.cos()], dim=-1)


class DecoderAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        assert hidden_dim % nums_head == 0
        assert nums_head % nums_key_value_head == 0
        self.h, self.kv = nums_head, nums_key_value_head
        self.d = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, self.kv * self.d, bias=False)
        self.v_proj = nn.Linear(hidden_dim, self.kv * self.d, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        q = self.q_proj(x).view(b, n, self.h, self.d).transpose(1, 2)
        k = self.k_proj(x).view(b, n, self.kv, self.d).transpose(1, 2)
        v = self.v_proj(x).view(b, n, self.kv, self.d).transpose(1, 2)
        q, k = apply_rotary(q), apply_rotary(k)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        new = (k, v)
        k = k.repeat_interleave(self.h // self.kv, dim=1)
        v = v.repeat_interleave(self.h // self.kv, dim=1)
        total = k.shape[2]
        seen = torch.ones(n, total, dtype=torch.bool).tril(total - n)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=seen)
        return self.o_proj(y.transpose(1, 2).reshape(b, n, -1)), new
