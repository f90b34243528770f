import torch
import torch.nn.functional as F
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


def rotary(x):
    n, d = x.shape[-2:]
    angle = torch.arange(n)[:, None] * 10000.0 ** (-torch.arange(0, d, 2) / d)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


class Block(nn.Module):
    """One key head for all query heads, rotary positions, gated mlp, no bias anywhere."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, self.head_dim, bias=False)
        self.wv = nn.Linear(dim, self.head_dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)
        self.gate = nn.Linear(dim, 3 * dim, bias=False)
        self.up = nn.Linear(dim, 3 * dim, bias=False)
        self.down = nn.Linear(3 * dim, dim, bias=False)
        self.attention_norm, self.ffn_norm = RMSNorm(dim), RMSNorm(dim)

    def forward(self, x):
        h = self.attention_norm(x)
        q = rotary(self.wq(h).unflatten(2, (self.heads, -1)).transpose(1, 2))
        k, v = rotary(self.wk(h)[:, None]), self.wv(h)[:, None]
        scores = (q @ k.transpose(2, 3)) * self.head_dim**-0.5
        scores += torch.full(scores.shape[-2:], float("-inf")).triu(1)
        x = x + self.wo((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
        h = self.ffn_norm(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, context_length):
        super().__init__()
        self.tok_embeddings = nn.Embedding(vocab_size, d_model)
        self.layers = nn.Sequential(*[Block(d_model, num_heads) for _ in range(num_layers)])
        self.norm, self.output = RMSNorm(d_model), nn.Linear(d_model, vocab_size, bias=False)
        self.context_length = context_length

    def forward(self, idx):
        return self.output(self.norm(self.layers(self.tok_embeddings(idx))))

    @torch.inference_mode()
    def generate(self, idx, max_new_tokens):
        out = idx.new_empty(idx.shape[0], idx.shape[1] + max_new_tokens)
        out[:, : idx.shape[1]] = idx
        for i in range(idx.shape[1], out.shape[1]):
            out[:, i] = self(out[:, max(0, i - self.context_length) : i])[:, -1].max(dim=-1).indices
        return out.clone()
