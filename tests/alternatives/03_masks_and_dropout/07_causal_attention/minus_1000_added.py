import torch
from torch import nn


class CausalAttention(nn.Module):
    """-1000 is far enough below scores of this module; it is kept ready to be added, and so are masks already cut."""

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.full((context_length, context_length), -1000.0).triu(1))
        self.cut = {}

    def forward(self, x):
        n = x.shape[1]
        if n not in self.cut or self.cut[n].dtype != x.dtype:
            self.cut[n] = self.mask[:n, :n].to(x.dtype)
        query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = torch.baddbmm(self.cut[n].expand(x.shape[0], n, n), query, key.mT, alpha=query.shape[-1] ** -0.5)
        return self.dropout(scores.softmax(-1)) @ value
