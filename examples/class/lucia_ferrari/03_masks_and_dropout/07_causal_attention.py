"""Causal attention: self-attention in which no token sees a later one, with dropout on the weights.

    queries, keys, values = W_query(x), W_key(x), W_value(x)
    weights = dropout(softmax(queries · keysᵀ / √d_out))         later tokens are hidden before the softmax
    output  = weights · values

    x         (b, n, d_in)    batch, tokens, width that comes in
    queries   (b, n, d_out)   batch, tokens, width that goes out; keys and values alike
    scores    (b, n, n)       batch, query token, key token
    returns   (b, n, d_out)

Document: HackTricks, "4. Attention Mechanisms", the class CausalAttention. It is run there on two copies of "Your
journey starts with one step", six tokens of width 3:

    >>> torch.manual_seed(123)
    >>> CausalAttention(d_in=3, d_out=2, context_length=6, dropout=0.0)(batch)[0, 0].detach()
    tensor([-0.4519,  0.2216])

These two numbers hold when the layers are made in the order W_query, W_key, W_value. Any order is right.

The layers are nn.Linear with `bias=qkv_bias`. The mask is a buffer named `mask`, made for `context_length` tokens; a
shorter input uses its upper left corner. The dropout acts on the weights, in training only.
"""

import torch
import torch.nn.functional as F
from torch import nn


class CausalAttention(nn.Module):
    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ):
        super().__init__()
        raise NotImplementedError("CausalAttention.__init__: still to write")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError("CausalAttention.forward: still to write")
