import torch
from torch import nn
import torch.nn.functional as F


class DecoderAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, nums_key_value_head: int):
        super().__init__()
        assert hidden_dim % nums_head == 0, "hidden_dim must be divisible by nums_head"
        assert nums_head % nums_key_value_head == 0, "nums_head must be divisible by nums_key_value_head"
        self.nums_head = nums_head
        self.nums_key_value_head = nums_key_value_head
        self.head_dim = hidden_dim // nums_head
        narrow = nums_key_value_head * self.head_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, narrow, bias=False)
        self.v_proj = nn.Linear(hidden_dim, narrow, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def angles(self, start, count, like):
        inv_freq = 1.0 / 10000 ** (torch.arange(0, self.head_dim, 2, dtype=like.dtype) / self.head_dim)
        freqs = torch.arange(start, start + count, dtype=like.dtype)[:, None] * inv_freq
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos(), emb.sin()

    def forward(self, x, cache=None):
        cache = cache or {"k": None, "v": None, "seen": 0}
        q, k, v = (
            proj(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2) for proj in (self.q_proj, self.k_proj, self.v_proj)
        )
        cos, sin = self.angles(cache["seen"], x.shape[1], x)
        q, k = apply_rotary(q, cos, sin), apply_rotary(k, cos, sin)
        if cache["seen"]:
            k, v = torch.cat((cache["k"], k), 2), torch.cat((cache["v"], v), 2)
        mask = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril(cache["seen"])
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
        return self.o_proj(out.transpose(1, 2).flatten(2)), {"k": k, "v": v, "seen": k.shape[2]}


def apply_rotary(x, cos, sin):
    x1, x2 = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-x2, x1), dim=-1) * sin
