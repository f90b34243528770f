# slip: the tanh approximation of GELU instead of the exact one
import math

import torch
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.h = num_heads
        self.dk = d_model // num_heads
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.o_proj = nn.Linear(d_model, d_model)
        self.mlp_in = nn.Linear(d_model, d_model * 4)
        self.mlp_out = nn.Linear(d_model * 4, d_model)

    def gelu(self, x):
        return 0.5 * x * (1 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x.pow(3))))

    def forward(self, x):
        b, n, d = x.shape
        shortcut = x
        x = self.norm1(x)
        q, k, v = [p(x).unflatten(-1, (self.h, self.dk)).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj)]
        scores = q @ k.transpose(2, 3)
        scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), -torch.inf)
        w = torch.softmax(scores / self.dk**0.5, dim=-1)
        x = self.o_proj((w @ v).transpose(1, 2).contiguous().view(b, n, d))
        x = x + shortcut
        shortcut = x
        x = self.mlp_out(self.gelu(self.mlp_in(self.norm2(x))))
        return x + shortcut
