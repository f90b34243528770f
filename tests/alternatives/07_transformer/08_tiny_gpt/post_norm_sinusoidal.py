import math

import torch
from torch import nn


class Layer(nn.Module):
    """As in the first transformer: the norm comes after the sum."""

    def __init__(self, width, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.wide, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.one, self.two = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x, mask):
        mixed, _ = self.attention(x, x, x, attn_mask=mask, need_weights=False)
        x = self.one(x + mixed)
        return self.two(x + self.narrow(self.wide(x).relu()))


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, context_length):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        speed = torch.exp(-math.log(10000.0) * torch.arange(0, d_model, 2) / d_model)
        angle = torch.arange(context_length)[:, None] * speed
        self.register_buffer("places", torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1))
        self.register_buffer("later", torch.ones(context_length, context_length).triu(1).bool())
        self.layers = nn.ModuleList(Layer(d_model, num_heads) for _ in range(num_layers))
        self.to_vocabulary = nn.Linear(d_model, vocab_size)
        self.width, self.longest = d_model, context_length

    def forward(self, idx):
        n = idx.shape[1]
        x = self.embedding(idx) * math.sqrt(self.width) + self.places[:n]
        for layer in self.layers:
            x = layer(x, self.later[:n, :n])
        return self.to_vocabulary(x)

    def generate(self, idx, max_new_tokens):
        tokens = idx.clone()
        while tokens.shape[1] < idx.shape[1] + max_new_tokens:
            best = torch.topk(self.forward(tokens[:, -self.longest :])[:, -1], 1).indices
            tokens = torch.cat([tokens, best], dim=-1)
        return tokens
