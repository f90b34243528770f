import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, d_model, width):
        super().__init__()
        self.query = nn.Linear(d_model, width, bias=False)
        self.key = nn.Linear(d_model, width, bias=False)
        self.value = nn.Linear(d_model, width, bias=False)

    def forward(self, x):
        scores = torch.einsum("bid,bjd->bij", self.query(x), self.key(x)) / self.key.out_features**0.5
        visible = torch.tril(torch.ones_like(scores))
        scores = scores.masked_fill(visible == 0, -1e9)
        return scores.softmax(dim=-1) @ self.value(x)


class TinyGPT(nn.Module):
    """Heads one by one; zeros at the end of each branch, so that it begins as the identity; no mlp, tied weights."""

    def __init__(self, vocab_size, d_model, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length, self.num_heads = context_length, num_heads
        self.embedding = nn.Parameter(torch.randn(vocab_size, d_model) * d_model**-0.5)
        self.positions = nn.Parameter(torch.randn(context_length, d_model) * 0.1)
        self.heads = nn.ModuleList([Head(d_model, d_model // num_heads) for _ in range(num_layers * num_heads)])
        self.joins = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(num_layers)])
        for join in self.joins:
            nn.init.zeros_(join.weight)
        self.norms = nn.ModuleList([nn.LayerNorm(d_model) for _ in range(num_layers + 1)])

    def forward(self, idx):
        x = self.embedding[idx] + self.positions[: idx.shape[1]]
        for i, join in enumerate(self.joins):
            normed = self.norms[i](x)
            heads = self.heads[i * self.num_heads : (i + 1) * self.num_heads]
            x = x + join(torch.cat([head(normed) for head in heads], dim=-1))
        return self.norms[-1](x) @ self.embedding.T

    def generate(self, idx, max_new_tokens):
        if max_new_tokens == 0:
            return idx
        with torch.no_grad():
            following = self(idx[:, -self.context_length :])[:, -1:].argmax(2)
        return self.generate(torch.cat([idx, following], 1), max_new_tokens - 1)
