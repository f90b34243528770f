"""Latent attention: of each token only a short summary is kept, and keys and values are made out of it again.

    latents = the cached ones, then kv_down(x)           one short vector for each token
    k, v    = heads of k_up(latents), v_up(latents)      for all tokens so far
    out     = o_proj(softmax(q · kᵀ / √head_dim) · v, the heads side by side)

    x         (b, n, hidden_dim)          batch, new tokens, width
    cache     None, or (b, past, latent_dim): the latents of the `past` tokens before x
    latents   (b, past + n, latent_dim)   batch, all tokens so far, width of a summary; this is the new cache
    q         (b, h, n, head_dim)         batch, heads, new tokens, head_dim = hidden_dim / h
    k, v      (b, h, past + n, head_dim)  batch, heads, all tokens so far, head_dim
    returns   (out, cache)                out (b, n, hidden_dim), cache (b, past + n, latent_dim)

Causal: new token i is token past + i of the text, and sees the tokens 0 … past + i. However a text is cut into chunks,
the outputs are those of one pass. A cache that was passed in is not changed. A later token weighs nothing, however high
its score.

Document: none of the five; "DeepSeek-V2: A Strong, Economical, and Efficient Mixture-of-Experts Language Model",
section 2.1, without its rotary part. The cache is a tensor, and nothing but the latents is in it:

    >>> attention = LatentAttention(hidden_dim=8, nums_head=2, latent_dim=3)
    >>> x = torch.randn(1, 5, 8)
    >>> out, cache = attention(x[:, :4])
    >>> cache.shape                                        # 4 · 3 numbers; keys and values would be 4 · 16
    torch.Size([1, 4, 3])
    >>> out, cache = attention(x[:, 4:], cache)
    >>> cache.shape
    torch.Size([1, 5, 3])

The layers q_proj and o_proj are nn.Linear(hidden_dim, hidden_dim), kv_down is nn.Linear(hidden_dim, latent_dim), k_up
and v_up are nn.Linear(latent_dim, hidden_dim), all without bias. A hidden_dim that nums_head does not divide is refused
with AssertionError or ValueError.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself;
the checks load weights by these names.
"""

import torch
import torch.nn.functional as F
from torch import nn


class LatentAttention(nn.Module):
    """As DeepSeek runs it: k_up goes into the query and v_up behind the mixture, so that keys and values are never made."""

    def __init__(self, hidden_dim, nums_head, latent_dim):
        super().__init__()
        if hidden_dim % nums_head:
            raise ValueError("hidden_dim must be a multiple of nums_head")
        self.heads = nums_head
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.k_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)

    def forward(self, x, cache=None):
        c = self.kv_down(x)
        if cache is not None:
            c = torch.cat((cache, c), 1)
        n, total = x.shape[1], c.shape[1]
        q = self.q_proj(x).unflatten(2, (self.heads, -1))
        q = torch.einsum("bnhd,hdl->bhnl", q * q.shape[-1] ** -0.5, self.k_up.weight.unflatten(0, (self.heads, -1)))
        scores = torch.einsum("bhnl,bml->bhnm", q, c)
        place = torch.arange(total)
        hidden = place > place[total - n :, None]
        mixed = torch.einsum("bhnm,bml->bnhl", scores.masked_fill(hidden, -1e9).softmax(-1), c)
        values = torch.einsum("bnhl,hdl->bnhd", mixed, self.v_up.weight.unflatten(0, (self.heads, -1)))
        return self.o_proj(values.flatten(2)), c
