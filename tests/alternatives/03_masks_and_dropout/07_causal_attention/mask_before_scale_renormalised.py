import torch
from torch import nn


class CausalAttention(nn.Module):
    """Hidden weights set to 0 after the softmax, then each row divided by its new sum; keys made first."""

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        nn.Module.__init__(self)
        self.scale = d_out**-0.5
        i = torch.arange(context_length)
        self.register_buffer("mask", i[None, :] > i[:, None])
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.layers = nn.Sequential(nn.Softmax(dim=-1))
        self.dropout = nn.Dropout(dropout, inplace=False)

    def forward(self, x):
        n = x.shape[1]
        weights = self.layers(self.W_query(x) @ self.W_key(x).mT * self.scale)
        weights = weights.masked_fill(self.mask[:n, :n], 0)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        return self.dropout(weights) @ self.W_value(x)
