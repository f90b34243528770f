"""Multi-head attention: all heads at once, each with its own part of the width, none sees the future.

    queries, keys, values = W_query(x), W_key(x), W_value(x), each split into heads
    weights = dropout(softmax(queries · keysᵀ / √head_dim))       later tokens are hidden before the softmax
    output  = out_proj(weights · values, the heads side by side again)

    x         (b, n, d_in)           batch, tokens, width that comes in
    queries   (b, h, n, head_dim)    batch, heads, tokens, head_dim = d_out / h; keys and values alike
    scores    (b, h, n, n)           batch, heads, query token, key token
    returns   (b, n, d_out)

Document: iThome, "Day 15. Multi-head Attention", the efficient version. HackTricks, "4. Attention Mechanisms",
has the same class and runs it on two copies of "Your journey starts with one step", six tokens of width 3:

    >>> journey = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
    ...                         [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])
    >>> batch = torch.stack([journey, journey])
    >>> _ = torch.manual_seed(123)
    >>> MultiHeadAttention(d_in=3, d_out=2, context_length=6, dropout=0.0, num_heads=2)(batch)[0, 0].detach()
    tensor([0.3190, 0.4858])

These two numbers hold when the layers are made in the order W_query, W_key, W_value, out_proj. Any order is right.

The layers are nn.Linear: W_query, W_key and W_value with `bias=qkv_bias`, out_proj with bias. The mask is a buffer
named `mask`, made for `context_length` tokens; a shorter input uses its upper left corner, and a longer one never
comes. The dropout acts on the weights, in training only; with dropout = 1 nothing is left but out_proj's bias. A later
token weighs nothing, however high its score. A d_out that num_heads does not divide is refused with AssertionError or
ValueError.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself;
the checks load weights by these names.
"""

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ):
        super().__init__()
        raise NotImplementedError("MultiHeadAttention.__init__: still to write")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError("MultiHeadAttention.forward: still to write")
