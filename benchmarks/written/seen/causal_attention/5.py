# slip: scaled by d_in instead of d_out
import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.drop = nn.Dropout(dropout)
        self.softmax = nn.Softmax(dim=-1)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).triu(1))

    def forward(self, x):
        b, n, d = x.shape
        scores = torch.einsum("bqd,bkd->bqk", self.W_query(x), self.W_key(x))
        scores = scores.masked_fill(self.mask[None, :n, :n], torch.finfo(scores.dtype).min)
        weights = self.drop(self.softmax(scores / d**0.5))
        return torch.einsum("bqk,bkd->bqd", weights, self.W_value(x))
