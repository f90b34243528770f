"""One block of a transformer: attention between the tokens, then an mlp for each token; each adds to what came in.

    y   = x + o_proj(causal multi-head attention of norm1(x))
    out = y + mlp_out(gelu(mlp_in(norm2(y))))

    x         (b, n, d_model)       batch, tokens, width
    q, k, v   (b, h, n, head_dim)   batch, heads, tokens, head_dim = d_model / h; all three from norm1(x)
    scores    (b, h, n, n)          batch, heads, token asks, token answers: scale 1/√head_dim, later tokens hidden
    hidden    (b, n, 4 · d_model)   batch, tokens, width of the mlp
    returns   (b, n, d_model)       batch, tokens, width

Document: none of the five; "Language Models are Unsupervised Multitask Learners" (GPT-2). "Attention Is All You Need"
has its norms after the sums, GPT-2 in front of each part.

    >>> block = TransformerBlock(d_model=8, num_heads=2)
    >>> block(torch.randn(3, 5, 8)).shape
    torch.Size([3, 5, 8])

The layers: norm1 and norm2 are nn.LayerNorm(d_model); q_proj, k_proj, v_proj and o_proj are
nn.Linear(d_model, d_model), mlp_in is nn.Linear(d_model, 4 · d_model), mlp_out is nn.Linear(4 · d_model, d_model), all
with bias. The GELU is the exact one, torch's default. There is no dropout. A d_model that num_heads does not divide is
refused with AssertionError or ValueError. A later token weighs nothing, however high its score.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself;
the checks load weights by these names.
"""

import torch
import torch.nn.functional as F
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        assert d_model % num_heads == 0, "d_model must be divisible by num_heads"
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.norm1 = nn.LayerNorm(d_model)
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.o_proj = nn.Linear(d_model, d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.mlp_in = nn.Linear(d_model, 4 * d_model)
        self.mlp_out = nn.Linear(4 * d_model, d_model)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, n, d_model = x.shape
        in_heads = (b, n, self.num_heads, self.head_dim)

        normed = self.norm1(x)
        q = self.q_proj(normed).view(in_heads).transpose(1, 2)
        k = self.k_proj(normed).view(in_heads).transpose(1, 2)
        v = self.v_proj(normed).view(in_heads).transpose(1, 2)
        later = torch.ones(n, n, dtype=torch.bool).triu(diagonal=1)
        scores = q @ k.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(later, -torch.inf)
        weights = F.softmax(scores, dim=-1)
        context = (weights @ v).transpose(1, 2).reshape(b, n, d_model)
        y = x + self.o_proj(context)

        normed_again = self.norm2(y)
        return y + self.mlp_out(F.gelu(self.mlp_in(normed_again)))


import math


class TransformerBlock(TransformerBlock):
    """Norm, softmax and GELU written out; scale on the query; a mask that is added."""

    @staticmethod
    def norm(x, layer):
        variance, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
        return (x - mean) * (variance + layer.eps).rsqrt() * layer.weight + layer.bias

    def forward(self, x):
        n = x.shape[1]
        h = self.norm(x, self.norm1)
        q, k, v = (p(h).unflatten(2, (self.num_heads, -1)) for p in (self.q_proj, self.k_proj, self.v_proj))
        scores = torch.einsum("bihd,bjhd->bhij", q * q.shape[-1] ** -0.5, k)
        scores = scores + torch.full((n, n), -1e9, dtype=x.dtype).triu(1)
        exps = (scores - scores.amax(-1, keepdim=True)).exp()
        mixed = torch.einsum("bhij,bjhd->bihd", exps / exps.sum(-1, keepdim=True), v)
        x = x + self.o_proj(mixed.reshape(x.shape))
        inner = self.mlp_in(self.norm(x, self.norm2))
        return x + self.mlp_out(inner * 0.5 * (1 + torch.erf(inner / math.sqrt(2))))
