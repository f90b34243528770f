import torch
from torch import nn


def turned(x, places):
    half = x.shape[-1] // 2
    angles = torch.outer(places, 10000.0 ** (-torch.arange(half, dtype=x.dtype) / half))
    pairs = torch.complex(x[..., :half].contiguous(), x[..., half:].contiguous()) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat((pairs.real, pairs.imag), -1)


class DecoderAttention(nn.Module):
    """The cache holds keys that were not turned; all of them are, at each call, by complex numbers."""

    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        if hidden_dim % nums_head or nums_head % nums_key_value_head:
            raise ValueError("sizes that do not divide")
        self.kv, self.group, self.d = nums_key_value_head, nums_head // nums_key_value_head, hidden_dim // nums_head
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, self.kv * self.d, bias=False)
        self.k_proj = nn.Linear(hidden_dim, self.kv * self.d, bias=False)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        q = self.q_proj(x).view(b, n, self.kv, self.group, self.d).permute(0, 2, 3, 1, 4)
        new = torch.stack([p(x).view(b, n, self.kv, 1, self.d).permute(0, 2, 3, 1, 4) for p in (self.k_proj, self.v_proj)])
        both = new if cache is None else torch.cat([cache, new], dim=-2)
        k, v = both
        places = torch.arange(k.shape[-2], dtype=x.dtype)
        scores = turned(q, places[-n:]) @ turned(k, places).mT * self.d**-0.5
        scores = scores.masked_fill(places > places[-n:, None], -1e9)
        out = scores.softmax(-1) @ v
        return self.o_proj(out.permute(0, 3, 1, 2, 4).flatten(2)), both
