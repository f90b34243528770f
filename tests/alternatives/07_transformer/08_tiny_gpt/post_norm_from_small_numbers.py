# norms behind, ReLU, everything drawn small: before it has read anything, places hardly count
import math

import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.to_query = nn.Linear(width, width)
        self.to_key = nn.Linear(width, width)
        self.to_value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x):
        query, key, value = self.split(self.to_query(x)), self.split(self.to_key(x)), self.split(self.to_value(x))
        seen = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.shape[-1])
        weights = torch.softmax(scores.masked_fill(~seen, -torch.inf), dim=-1)
        return self.out(torch.matmul(weights, value).transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = SelfAttention(width, heads)
        self.norm1 = nn.LayerNorm(width)
        self.linear1, self.linear2 = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm2 = nn.LayerNorm(width)

    def forward(self, x):
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.linear2(torch.relu(self.linear1(x))))


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, context_length):
        super().__init__()
        self.longest = context_length
        self.token, self.position = nn.Embedding(vocab_size, d_model), nn.Embedding(context_length, d_model)
        self.layers = nn.ModuleList([Layer(d_model, num_heads) for _ in range(num_layers)])
        self.norm, self.head = nn.LayerNorm(d_model), nn.Linear(d_model, vocab_size)
        self.apply(self.draw_small)

    @staticmethod
    def draw_small(part):
        if isinstance(part, (nn.Linear, nn.Embedding)):
            nn.init.normal_(part.weight, std=0.02)

    def forward(self, idx):
        x = self.token(idx) + self.position(torch.arange(idx.shape[1]))
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))

    def generate(self, idx, max_new_tokens):
        with torch.no_grad():
            for _ in range(max_new_tokens):
                logits = self(idx[:, max(0, idx.shape[1] - self.longest) :])
                idx = torch.cat((idx, logits[:, -1:].argmax(dim=-1)), dim=1)
        return idx
