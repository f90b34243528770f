import torch
from torch import nn


class CausalAttention(nn.Module):
    """Each token attends to the tokens up to itself, so nothing has to be hidden; a plain exp, a dropout by hand."""

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = dropout
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.uint8).tril())
        self.register_buffer("root", torch.tensor(d_out).sqrt(), persistent=False)

    def _drop(self, weights):
        if not self.training:
            return weights
        keep = torch.rand(weights.shape) >= self.dropout
        return torch.where(keep, weights / max(1 - self.dropout, 1e-9), 0)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        rows = []
        for i in range(x.shape[1]):
            scores = (q[:, i : i + 1] * k[:, : i + 1]).sum(-1) / self.root
            weights = scores.exp() / scores.exp().sum(1, keepdim=True)
            rows.append((self._drop(weights)[..., None] * v[:, : i + 1]).sum(1))
        return torch.stack(rows, dim=1)
