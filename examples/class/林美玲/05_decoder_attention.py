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


# BEGIN STUB
# # Your own apply_rotary stands here, as it was in the exercise `rotary`.
# END STUB


def apply_rotary(x, places):
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
        scores = apply_rotary(q, places[-n:]) @ apply_rotary(k, places).mT * self.d**-0.5
        scores = scores.masked_fill(places > places[-n:, None], -1e9)
        out = scores.softmax(-1) @ v
        return self.o_proj(out.permute(0, 3, 1, 2, 4).flatten(2)), both
