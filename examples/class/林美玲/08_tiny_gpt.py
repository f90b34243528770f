import torch
from torch import nn
import torch.nn.functional as F


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


class Block(nn.Module):
    """Heads one by one; zeros at the end, so that it begins as the identity; no mlp."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.heads = nn.ModuleList([Head(d_model, d_model // num_heads) for _ in range(num_heads)])
        self.join = nn.Linear(d_model, d_model)
        nn.init.zeros_(self.join.weight)

    def forward(self, x):
        normed = self.norm(x)
        return x + self.join(torch.cat([head(normed) for head in self.heads], dim=-1))


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.embedding = nn.Parameter(torch.randn(vocab_size, d_model) * d_model**-0.5)
        self.positions = nn.Parameter(torch.randn(context_length, d_model) * 0.1)
        self.blocks = nn.Sequential(*[Block(d_model, num_heads) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(d_model)

    def forward(self, idx):
        x = self.embedding[idx] + self.positions[: idx.shape[1]]
        return self.norm(self.blocks(x)) @ self.embedding.T

    def generate(self, idx, max_new_tokens):
        if max_new_tokens == 0:
            return idx
        with torch.no_grad():
            following = self(idx[:, -self.context_length :])[:, -1:].argmax(2)
        return self.generate(torch.cat([idx, following], 1), max_new_tokens - 1)
