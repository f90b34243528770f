# slip: the values are turned by rotary as well
import math

import torch
import torch.nn.functional as F
from torch import nn


def rotate_half(x):
    a, b = x[..., : x.size(-1) // 2], x[..., x.size(-1) // 2 :]
    return torch.cat((-b, a), dim=-1)


def apply_rotary(x: torch.Tensor, base: float = 10000.0, offset: int = 0) -> torch.Tensor:
    dim = x.size(-1)
    inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2, dtype=torch.float64) / dim))
    freqs = torch.outer(torch.arange(x.size(-2), dtype=torch.float64) + offset, inv_freq)
    emb = torch.cat((freqs, freqs), dim=-1)
    return x * emb.cos().to(x.dtype) + rotate_half(x) * emb.sin().to(x.dtype)


class DecoderAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, nums_key_value_head: int):
        super().__init__()
        if hidden_dim % nums_head != 0 or nums_head % nums_key_value_head != 0:
            raise ValueError("sizes")
        self.head_dim = hidden_dim // nums_head
        self.n_rep = nums_head // nums_key_value_head
        self.q_proj = nn.Linear(hidden_dim, nums_head * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, nums_key_value_head * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, nums_key_value_head * self.head_dim, bias=False)
        self.o_proj = nn.Linear(nums_head * self.head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        bsz, q_len, _ = x.size()
        past_len = 0 if cache is None else cache[0].size(2)
        states = []
        for proj in (self.q_proj, self.k_proj, self.v_proj):
            s = proj(x).view(bsz, q_len, -1, self.head_dim).transpose(1, 2)
            states.append(apply_rotary(s, offset=past_len))
        q, k, v = states
        if cache is not None:
            k, v = torch.cat([cache[0], k], dim=2), torch.cat([cache[1], v], dim=2)
        cache = (k, v)
        kr = torch.repeat_interleave(k, self.n_rep, dim=1)
        vr = torch.repeat_interleave(v, self.n_rep, dim=1)
        attn = q @ kr.transpose(2, 3) / math.sqrt(self.head_dim)
        mask = torch.full((q_len, past_len + q_len), float("-inf"), dtype=x.dtype).triu(past_len + 1)
        attn = F.softmax(attn + mask, dim=-1)
        out = (attn @ vr).transpose(1, 2).contiguous().reshape(bsz, q_len, -1)
        return self.o_proj(out), cache
