# right: a loop over the heads with slices of the weights, and the output projection added up head by head
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError("d_out is not a multiple of num_heads")
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        later = torch.arange(context_length)[None, :] > torch.arange(context_length)[:, None]
        self.register_buffer("mask", later, persistent=False)

    def forward(self, x):
        n = x.shape[1]
        qs = self.W_query(x).chunk(self.num_heads, -1)
        ks = self.W_key(x).chunk(self.num_heads, -1)
        vs = self.W_value(x).chunk(self.num_heads, -1)
        outs = self.out_proj.weight.chunk(self.num_heads, 1)
        result = self.out_proj.bias
        for q, k, v, w in zip(qs, ks, vs, outs):
            s = torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5
            s = s.masked_fill(self.mask[:n, :n], float("-inf"))
            p = self.dropout(torch.softmax(s, -1))
            result = result + torch.bmm(p, v) @ w.T
        return result
