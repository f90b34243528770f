import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Heads folded into the batch, one product for all three projections, the quarter power on both sides."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert num_heads > 0 and d_out % num_heads == 0
        self.num_heads = num_heads
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout, inplace=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), 1) * -1e4)

    def _project(self, x):
        layers = (self.W_query, self.W_key, self.W_value)
        weight = torch.cat([layer.weight for layer in layers])
        bias = None if self.W_query.bias is None else torch.cat([layer.bias for layer in layers])
        return nn.functional.linear(x, weight, bias)

    def forward(self, x):
        b, n, _ = x.shape
        h = self.num_heads
        qkv = self._project(x).reshape(b, n, 3, h, -1).permute(2, 0, 3, 1, 4).reshape(3, b * h, n, -1)
        root = qkv.shape[-1] ** 0.25
        q, k, v = qkv[0] / root, qkv[1] / root, qkv[2]
        scores = torch.baddbmm(self.mask[:n, :n].expand(b * h, n, n), q, k.transpose(1, 2))
        weights = self.dropout(scores.float().softmax(dim=2).type_as(x))
        out = torch.bmm(weights, v).reshape(b, h, n, -1)
        return self.out_proj(out.movedim(1, 2).reshape(b, n, -1))
