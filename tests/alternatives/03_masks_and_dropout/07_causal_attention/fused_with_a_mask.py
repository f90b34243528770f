import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).triu(1))

    def forward(self, x):
        n = x.shape[1]
        q, k, v = (layer(x).unsqueeze(1) for layer in (self.W_query, self.W_key, self.W_value))
        seen = ~self.mask[:n, :n]
        out = scaled_dot_product_attention(q, k, v, attn_mask=seen, dropout_p=self.dropout.p * self.training)
        return out.squeeze(1)
