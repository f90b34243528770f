import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.num_heads = num_heads
        self.scale = (d_out // num_heads) ** -0.5
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.full((context_length, context_length), float("-inf")).triu(1))

    def forward(self, x):
        n = x.shape[1]
        queries = self.W_query(x).chunk(self.num_heads, dim=-1)
        keys = self.W_key(x).chunk(self.num_heads, dim=-1)
        values = self.W_value(x).chunk(self.num_heads, dim=-1)
        mask = self.mask[:n, :n]
        heads = []
        for query, key, value in zip(queries, keys, values):
            scores = query @ key.transpose(1, 2) * self.scale + mask
            heads.append(self.dropout(scores.softmax(-1)) @ value)
        return self.out_proj(torch.cat(heads, dim=-1))
