# slip: the dropout is handed to scaled_dot_product_attention in eval mode, too
import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError("d_out % num_heads != 0")
        self.n_head = num_heads
        self.p = dropout
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        B, T, _ = x.size()
        q, k, v = (w(x).view(B, T, self.n_head, -1).transpose(1, 2) for w in (self.W_query, self.W_key, self.W_value))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=self.mask[:T, :T], dropout_p=self.p)
        y = y.transpose(1, 2).reshape(B, T, -1)
        return self.out_proj(y)
