import torch
from torch import nn


class CausalAttention(nn.Module):
    """One product for all three projections, an additive mask inside of baddbmm, the quarter power on both sides."""

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.drop = nn.Dropout(p=dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), 1) * -1e4)

    def forward(self, x):
        b, n, _ = x.shape
        layers = (self.W_query, self.W_key, self.W_value)
        weight = torch.cat([layer.weight for layer in layers])
        bias = None if self.W_query.bias is None else torch.cat([layer.bias for layer in layers])
        q, k, v = nn.functional.linear(x, weight, bias).chunk(3, dim=-1)
        root = q.shape[-1] ** 0.25
        scores = torch.baddbmm(self.mask[:n, :n].expand(b, n, n), q / root, (k / root).mT)
        weights = self.drop(scores.float().softmax(dim=2).type_as(x))
        return torch.bmm(weights, v)
