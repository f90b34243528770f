import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.p = dropout
        at = torch.arange(context_length)
        self.mask = nn.Buffer(torch.where(at > at[:, None], -10000.0, 0.0))
        for name in ("W_value", "W_key", "W_query"):
            self.add_module(name, nn.Linear(d_in, d_out, qkv_bias))

    def drop(self, weights):
        if not self.training or self.p == 0:
            return weights
        kept = torch.rand_like(weights) >= self.p
        return torch.where(kept, weights / (1 - self.p), 0.0) if self.p < 1 else weights * 0

    def forward(self, x):
        n = x.size(1)
        scores = self.W_query(x) @ self.W_key(x).mT / self.W_key.out_features**0.5 + self.mask[:n, :n]
        return self.drop((scores - scores.logsumexp(-1, keepdim=True)).exp()) @ self.W_value(x)
