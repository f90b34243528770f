import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError(f"{num_heads} heads do not fit into {d_out}")
        self.h = num_heads
        self.drop = dropout
        self.out_proj = nn.Linear(d_out, d_out)
        for name in ("value", "key", "query"):
            setattr(self, f"W_{name}", nn.Linear(d_in, d_out, qkv_bias))
        visible = torch.ones(1, 1, context_length, context_length).tril().bool()
        self.register_buffer("mask", visible, persistent=False)

    def forward(self, x):
        n = x.size(1)
        q, k, v = (w(x).unflatten(-1, (self.h, -1)) for w in (self.W_query, self.W_key, self.W_value))
        scores = torch.einsum("bqhd,bkhd->bhqk", q / math.sqrt(q.size(-1)), k)
        scores = torch.where(self.mask[..., :n, :n], scores, torch.finfo(scores.dtype).min)
        weights = nn.functional.dropout(scores.softmax(-1), self.drop, self.training)
        return self.out_proj(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))
