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

    >>> journey = torch.tensor([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64],
    ...                         [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])
    >>> batch = torch.stack([journey, journey])
    >>> _ = torch.manual_seed(123)
    >>> CausalAttention(d_in=3, d_out=2, context_length=6, dropout=0.0)(batch)[0, 0].detach()
    tensor([-0.4519,  0.2216])

These two numbers hold when the layers are made in the order W_query, W_key, W_value. Any order is right.

The layers are nn.Linear with `bias=qkv_bias`. The mask is a buffer named `mask`, made for `context_length` tokens; a
shorter input uses its upper left corner, and a longer one never comes. The dropout acts on the weights, in training
only; with dropout = 1 nothing is left but zeros. A later token weighs nothing, however high its score.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself;
the checks load weights by these names.
"""

import torch
import torch.nn.functional as F
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.transpose(1, 2)
        attn_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        context_vec = attn_weights @ values
        return context_vec
