import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError("num_heads has to divide d_out")
        self.heads = num_heads
        self.width = d_out // num_heads
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.drop = nn.Dropout(dropout)
        self.out_proj = nn.Linear(d_out, d_out)
        # True: may be seen
        visible = torch.tril(torch.ones(context_length, context_length)).bool()
        self.register_buffer("mask", visible)

    def apart(self, t):
        return t.unflatten(-1, (self.heads, self.width)).transpose(1, 2)

    def forward(self, x):
        n = x.shape[1]
        q, k, v = (self.apart(layer(x)) for layer in (self.W_query, self.W_key, self.W_value))
        scores = q.matmul(k.transpose(-1, -2)) / math.sqrt(self.width)
        scores = scores.masked_fill(~self.mask[:n, :n], float("-inf"))
        weights = self.drop(scores.softmax(dim=-1))
        together = weights.matmul(v).transpose(1, 2).flatten(2)
        return self.out_proj(together)
