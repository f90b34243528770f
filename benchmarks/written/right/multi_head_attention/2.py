# right: chunk every projection, loop over the heads, cat
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
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length).triu(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n = x.shape[1]
        later = self.mask[:n, :n].bool()
        parts = zip(*(layer(x).chunk(self.num_heads, dim=-1) for layer in (self.W_query, self.W_key, self.W_value)))
        found = []
        for q, k, v in parts:
            s = torch.bmm(q, k.mT) / q.shape[-1] ** 0.5
            w = self.drop(F.softmax(s.masked_fill(later, float("-inf")), dim=-1))
            found.append(torch.bmm(w, v))
        return self.out_proj(torch.cat(found, dim=-1))
