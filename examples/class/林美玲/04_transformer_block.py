import math
import torch
from torch import nn
import torch.nn.functional as F


class TransformerBlock(nn.Module):
    """Norm, softmax and GELU written out; scale on the query; a mask that is added."""

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
