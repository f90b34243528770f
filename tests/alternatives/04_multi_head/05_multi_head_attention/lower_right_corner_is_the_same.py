import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def heads(self, t):
        return torch.stack(t.split(self.head_dim, -1), 1)

    def forward(self, x):
        b, n, _ = x.shape
        Q, K, V = (self.heads(f(x)) for f in (self.W_query, self.W_key, self.W_value))
        m = self.mask[-n:, -n:].bool()
        s = (Q / self.head_dim**0.25) @ (K / self.head_dim**0.25).mT
        w = F.dropout(F.softmax(torch.where(m, torch.finfo(s.dtype).min, s), -1), self.dropout.p, self.training)
        return self.out_proj((w @ V).swapaxes(1, 2).reshape(b, n, self.d_out))
