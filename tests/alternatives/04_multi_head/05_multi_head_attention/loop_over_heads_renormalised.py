import torch
from torch import nn


def causal_head(q, k, v, hidden, drop):
    weights = torch.softmax(q @ k.mT * q.shape[-1] ** -0.5, dim=-1)
    weights = weights.masked_fill(hidden, 0)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return drop(weights) @ v


class MultiHeadAttention(nn.Module):
    """One head after the other; hidden weights set to 0 after the softmax, then each row divided by its new sum."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise AssertionError
        self.width = d_out // num_heads
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        i = torch.arange(context_length)
        self.register_buffer("mask", i[None, :] > i[:, None])

    def forward(self, x):
        n = x.shape[1]
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        heads = []
        for h in range(self.num_heads):
            part = slice(h * self.width, (h + 1) * self.width)
            heads.append(causal_head(q[..., part], k[..., part], v[..., part], self.mask[:n, :n], self.dropout))
        return self.out_proj(torch.cat(heads, dim=2))
