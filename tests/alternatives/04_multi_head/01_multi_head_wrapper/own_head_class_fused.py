import torch
import torch.nn.functional as F
from torch import nn


class CausalAttention(nn.Module):
    """Written anew: the same layers, the attention by torch."""

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.p = dropout
        for name in ("W_value", "W_key", "W_query"):
            setattr(self, name, nn.Linear(d_in, d_out, bias=qkv_bias))

    def forward(self, x):
        return F.scaled_dot_product_attention(
            self.W_query(x),
            self.W_key(x),
            self.W_value(x),
            dropout_p=self.p if self.training else 0.0,
            is_causal=True,
        )


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.heads = nn.ModuleList(
            [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
        )

    def forward(self, x):
        return torch.concat(tuple(head(x) for head in self.heads), dim=-1)
