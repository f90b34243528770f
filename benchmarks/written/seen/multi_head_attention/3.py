# slip: the heads are merged without moving them behind the tokens first
import torch
from torch import nn, einsum


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int, qkv_bias: bool = False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError("num_heads has to divide d_out")
        self.h = num_heads
        self.dh = d_out // num_heads
        self.scale = self.dh ** -0.5
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3))
        self.out_proj = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).triu(1))

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = (f(x).reshape(b, n, self.h, self.dh).permute(0, 2, 1, 3) for f in (self.W_query, self.W_key, self.W_value))
        sim = einsum("b h i d, b h j d -> b h i j", q * self.scale, k)
        sim = sim.masked_fill(self.mask[:n, :n], float("-inf"))
        attn = self.drop(sim.softmax(dim=-1))
        out = einsum("b h i j, b h j d -> b h i d", attn, v)
        out = out.reshape(b, n, self.h * self.dh)
        return self.out_proj(out)
