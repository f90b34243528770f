import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.full((1, context_length, context_length), float("-inf")).triu(diagonal=1))

    def forward(self, x):
        return torch.stack([self.attend(sequence) for sequence in x])

    def attend(self, x):
        keys, queries, values = self.W_key(x), self.W_query(x), self.W_value(x)
        scores = queries @ keys.T / keys.shape[-1] ** 0.5
        scores = scores + self.mask[0, : len(x), : len(x)]
        return self.dropout(torch.softmax(scores, dim=1)) @ values
