import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Each token attends to the tokens up to itself, so nothing has to be hidden; a plain exp instead of softmax."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        heads, rest = divmod(d_out, num_heads)
        if rest:
            raise ValueError("indivisible")
        self.head_dim = heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = dropout
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.uint8).tril())
        self.register_buffer("root", torch.tensor(self.head_dim).sqrt(), persistent=False)

    def _drop(self, weights):
        if not self.training:
            return weights
        keep = torch.rand(weights.shape) >= self.dropout
        return torch.where(keep, weights / max(1 - self.dropout, 1e-9), 0)

    def forward(self, x):
        b, n, _ = x.shape
        split = (b, n, -1, self.head_dim)
        q, k, v = self.W_query(x).view(split), self.W_key(x).view(split), self.W_value(x).view(split)
        rows = []
        for i in range(n):
            scores = (q[:, i : i + 1] * k[:, : i + 1]).sum(-1) / self.root
            weights = scores.exp() / scores.exp().sum(1, keepdim=True)
            rows.append((self._drop(weights)[..., None] * v[:, : i + 1]).sum(1).reshape(b, -1))
        return self.out_proj(torch.stack(rows, dim=1))
