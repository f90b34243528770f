# slip: the dropout of the functional call is always on, in evaluation too
import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0
        self.num_heads, self.p = num_heads, dropout
        self.W_query = nn.Linear(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length, dtype=torch.bool)))

    def _shape(self, t):
        return t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x):
        n = x.shape[1]
        q, k, v = self._shape(self.W_query(x)), self._shape(self.W_key(x)), self._shape(self.W_value(x))
        ctx = F.scaled_dot_product_attention(q, k, v, attn_mask=self.mask[:n, :n], dropout_p=self.p)
        return self.out_proj(ctx.transpose(1, 2).flatten(2))
