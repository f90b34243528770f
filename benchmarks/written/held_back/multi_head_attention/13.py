# slip: the dropout acts on the output after out_proj instead of on the weights
import math

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
        assert d_out % num_heads == 0
        self.h = num_heads
        self.d_k = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(p=dropout)
        self.register_buffer("mask", torch.triu(torch.full((context_length, context_length), float("-inf")), diagonal=1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        nbatches, n = x.size(0), x.size(1)
        query, key, value = [
            lin(x).view(nbatches, n, self.h, self.d_k)
            for lin in (self.W_query, self.W_key, self.W_value)
        ]
        scores = torch.einsum("bihd,bjhd->bhij", query, key) / math.sqrt(self.d_k)
        p_attn = F.softmax(scores + self.mask[:n, :n], dim=-1)
        out = torch.einsum("bhij,bjhd->bihd", p_attn, value).flatten(2)
        return self.dropout(self.out_proj(out))
