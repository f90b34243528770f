# slips: no causal mask when there is a cache; scaled by the square root of hidden_dim
import torch
from torch import nn


def apply_rotary(x, base=10000.0, offset=0):
    n, d = x.shape[-2:]
    f = torch.arange(offset, offset + n)[:, None] * base ** (-torch.arange(0, d, 2) / d)
    z = torch.polar(torch.ones_like(f), f)
    c = torch.complex(x[..., : d // 2].contiguous(), x[..., d // 2 :].contiguous()) * z
    return torch.cat((c.real, c.imag), -1).to(x.dtype)


class DecoderAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        assert hidden_dim % nums_head == 0
        assert nums_head % nums_key_value_head == 0
        self.hidden_dim = hidden_dim
        self.nh, self.nkv = nums_head, nums_key_value_head
        self.hd = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, self.nkv * self.hd, bias=False)
        self.v_proj = nn.Linear(hidden_dim, self.nkv * self.hd, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        past = 0
        if cache is not None:
            past = cache[0].shape[1]
        q = self.q_proj(x).view(b, n, self.nh, self.hd)
        k = self.k_proj(x).view(b, n, self.nkv, self.hd)
        v = self.v_proj(x).view(b, n, self.nkv, self.hd)
        q = apply_rotary(q.transpose(1, 2), offset=past)
        k = apply_rotary(k.transpose(1, 2), offset=past).transpose(1, 2)
        if cache is not None:
            k = torch.cat((cache[0], k), dim=1)
            v = torch.cat((cache[1], v), dim=1)
        keys = k.repeat_interleave(self.nh // self.nkv, dim=2).permute(0, 2, 3, 1)
        values = v.repeat_interleave(self.nh // self.nkv, dim=2).transpose(1, 2)
        att = (q @ keys) / self.hidden_dim**0.5
        if cache is None:
            att = att.masked_fill(torch.triu(torch.ones(n, n), 1).bool(), float("-inf"))
        y = torch.softmax(att, -1) @ values
        return self.o_proj(y.transpose(1, 2).reshape(b, n, -1)), (k, v)
