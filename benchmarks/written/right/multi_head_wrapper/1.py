# right: writes each head's result into a preallocated list by index and joins with permute and reshape
import torch
import torch.nn.functional as F
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("seen", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, p = x.shape[1], self.dropout.p if self.training else 0.0
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        return F.scaled_dot_product_attention(queries, keys, values, attn_mask=self.seen[:n, :n], dropout_p=p)


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        args = (d_in, d_out, context_length, dropout, qkv_bias)
        self.heads = nn.ModuleList(map(lambda _: CausalAttention(*args), range(num_heads)))

    def forward(self, x):
        found = [None] * len(self.heads)
        for i, head in enumerate(self.heads):
            found[i] = head(x)
        all_heads = torch.stack(found)                 # (h, b, n, d)
        h, b, n, d = all_heads.shape
        return all_heads.permute(1, 2, 0, 3).reshape(b, n, h * d)
