# slip: the mask multiplies the weights after the softmax, and they are not renormalised
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0, "d_out % num_heads"
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length)))

    def split(self, t):
        return torch.stack(t.split(self.head_dim, dim=-1), dim=1)

    def forward(self, x):
        L = x.size(1)
        Q, K, V = map(self.split, (self.W_query(x), self.W_key(x), self.W_value(x)))
        A = torch.softmax(torch.matmul(Q, K.mT) / self.head_dim ** 0.5, dim=-1)
        A = A * self.mask[:L, :L]
        A = self.dropout(A)
        Z = torch.matmul(A, V)
        Z = torch.cat(Z.unbind(dim=1), dim=-1)
        return self.out_proj(Z)
