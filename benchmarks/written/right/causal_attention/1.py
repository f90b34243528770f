# right: a loop over the queries, each looking at a slice of the past
import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False):
        super().__init__()
        for name in ("W_value", "W_key", "W_query"):
            self.register_module(name, nn.Linear(d_in, d_out, bias=qkv_bias))
        self.lose_some = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.uint8).triu(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        width = q.size(-1)
        steps = []
        for t in range(x.size(1)):
            past = slice(0, t + 1)
            s = (q[:, t : t + 1] * k[:, past]).sum(-1) * width**-0.5
            w = self.lose_some(s.softmax(-1))
            steps.append((w[..., None] * v[:, past]).sum(1))
        return torch.stack(steps, dim=1)
