import math

import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.p = dropout
        for name in ("value", "key", "query"):
            setattr(self, f"W_{name}", nn.Linear(d_in, d_out, qkv_bias))
        self.register_buffer("mask", torch.ones(context_length, context_length).tril(), persistent=False)

    def forward(self, x):
        n = x.size(-2)
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = torch.einsum("bqd,bkd->bqk", q / math.sqrt(q.size(-1)), k)
        scores = torch.where(self.mask[:n, :n] == 1, scores, torch.finfo(scores.dtype).min)
        weights = nn.functional.dropout(scores.softmax(-1), self.p, self.training)
        return torch.einsum("bqk,bkd->bqd", weights, v)
