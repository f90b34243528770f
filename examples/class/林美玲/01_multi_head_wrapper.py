import torch
import torch.nn.functional as F
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        later = torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1)
        self.register_buffer("mask", later)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n = x.shape[1]
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = queries @ keys.transpose(1, 2) / self.d_out**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        return self.dropout(F.softmax(scores, dim=-1)) @ values


class MultiHeadAttentionWrapper(nn.Module):
    """The heads only keep the weights; the products of all of them are made at once."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.heads = nn.ModuleList(
            [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
        )

    def project(self, x, name):
        layers = [getattr(head, name) for head in self.heads]
        weight = torch.stack([layer.weight for layer in layers])
        projected = torch.einsum("bnw,hdw->bhnd", x, weight)
        if layers[0].bias is not None:
            projected = projected + torch.stack([layer.bias for layer in layers])[:, None, :]
        return projected

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = (self.project(x, name) for name in ("W_query", "W_key", "W_value"))
        scores = (q @ k.transpose(-2, -1)) * q.shape[-1] ** -0.5
        scores = scores.masked_fill(self.heads[0].mask[:n, :n], float("-inf"))
        weights = self.heads[0].dropout(scores.softmax(-1))
        return (weights @ v).transpose(1, 2).reshape(b, n, -1)
