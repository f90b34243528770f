import torch
from torch import nn


class CausalAttention(nn.Module):
    """exp() of the scores as they are, hidden places times 0, then each row divided by its sum."""

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length).tril())

    def forward(self, x):
        n = x.shape[1]
        query, key = self.W_query(x), self.W_key(x)
        exps = torch.exp(query @ key.mT / query.shape[-1] ** 0.5) * self.mask[:n, :n]
        return self.dropout(exps / exps.sum(dim=-1, keepdim=True)) @ self.W_value(x)
