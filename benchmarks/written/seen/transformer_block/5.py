# slip: only the query is made from the normed input, keys and values from x itself
import torch
import torch.nn.functional as F
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.num_heads = num_heads
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.o_proj = nn.Linear(d_model, d_model)
        self.mlp_in = nn.Linear(d_model, 4 * d_model)
        self.mlp_out = nn.Linear(4 * d_model, d_model)

    def attention(self, query, key, value):
        b, n, c = query.shape
        hs = c // self.num_heads
        q = self.q_proj(query).reshape(b, n, self.num_heads, hs).permute(0, 2, 1, 3)
        k = self.k_proj(key).reshape(b, n, self.num_heads, hs).permute(0, 2, 3, 1)
        v = self.v_proj(value).reshape(b, n, self.num_heads, hs).permute(0, 2, 1, 3)
        s = (q @ k) / hs**0.5
        seen = torch.tril(torch.ones(n, n, device=query.device))
        s = s.masked_fill(seen == 0, torch.finfo(s.dtype).min)
        out = F.softmax(s, dim=-1) @ v
        return self.o_proj(out.permute(0, 2, 1, 3).reshape(b, n, c))

    def forward(self, x):
        x = x + self.attention(self.norm1(x), x, x)
        return x + self.mlp_out(F.gelu(self.mlp_in(self.norm2(x))))
