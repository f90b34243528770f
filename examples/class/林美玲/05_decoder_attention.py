"""The attention of a decoder of today: rotary positions, grouped heads and a cache, in one class.

    q       = heads of q_proj(x), turned by rotary              nums_head heads
    k, v    = heads of k_proj(x), v_proj(x), k turned as well   nums_key_value_head heads
    keys    = the cached ones, then k                           values likewise, never turned
    out     = o_proj(softmax(q · keysᵀ / √head_dim) · values, the heads side by side)

    x         (b, n, hidden_dim)          batch, new tokens, width
    cache     None, or what an earlier call returned: it stands for the `past` tokens before x. Its form is yours.
    q         (b, h, n, head_dim)         batch, heads, new tokens, head_dim = hidden_dim / nums_head
    k, v      (b, kv, n, head_dim)        batch, key/value heads, new tokens: each serves h / kv query heads in a row
    scores    (b, h, n, past + n)         batch, heads, new token asks, any token so far answers
    returns   (out, cache)                out (b, n, hidden_dim)

Rotary as in the exercise `rotary`: entry i of a head is paired with entry i + head_dim/2, and turned by
place · 10000^(-2i/head_dim). The place is that in the whole text: new token i stands at past + i. Causal: it sees the
tokens 0 … past + i. However a text is cut into chunks, the outputs are those of one pass. A cache that was passed in is
not changed. A later token weighs nothing, however high its score.

Document: none of the five; "Llama 2: Open Foundation and Fine-Tuned Chat Models" and most open models since.

    >>> attention = DecoderAttention(hidden_dim=16, nums_head=4, nums_key_value_head=2)
    >>> x = torch.randn(1, 5, 16)
    >>> out, cache = attention(x[:, :3])
    >>> out, cache = attention(x[:, 3:], cache)
    >>> torch.allclose(out, attention(x)[0][:, 3:], atol=1e-6)
    True

The layers q_proj and o_proj are nn.Linear(hidden_dim, hidden_dim), k_proj and v_proj lead to
nums_key_value_head · head_dim, all without bias. A hidden_dim that nums_head does not divide, and a nums_head that
nums_key_value_head does not divide, are refused with AssertionError or ValueError. head_dim is even.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself;
the checks load weights by these names.
"""

import torch
import torch.nn.functional as F
from torch import nn


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

    def forward(self, x: torch.Tensor, cache=None):
        b, n, hidden_dim = x.shape
        q = self.q_proj(x).view(b, n, self.nums_head, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(b, n, self.nums_key_value_head, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(b, n, self.nums_key_value_head, self.head_dim).transpose(1, 2)

        past = 0 if cache is None else cache[0].shape[2]
        q = apply_rotary(q, offset=past)
        k = apply_rotary(k, offset=past)
        if cache is not None:
            past_k, past_v = cache
            k = torch.cat([past_k, k], dim=2)
            v = torch.cat([past_v, v], dim=2)

        group = self.nums_head // self.nums_key_value_head
        keys = k.repeat_interleave(group, dim=1)
        values = v.repeat_interleave(group, dim=1)
        later = torch.ones(n, past + n, dtype=torch.bool).triu(diagonal=past + 1)
        scores = q @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(later, -torch.inf)
        weights = F.softmax(scores, dim=-1)
        context = (weights @ values).transpose(1, 2).reshape(b, n, hidden_dim)
        return self.o_proj(context), (k, v)


# BEGIN STUB
# # Your own apply_rotary stands here, as it was in the exercise `rotary`.
# END STUB


def apply_rotary(x, cos, sin):
    x1, x2 = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-x2, x1), dim=-1) * sin


class DecoderAttention(DecoderAttention):
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
