# slip: scaled by the square root of latent_dim instead of the head's width
import math

import torch
from torch import nn


class LatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, latent_dim: int):
        super().__init__()
        if hidden_dim % nums_head != 0:
            raise ValueError("hidden_dim must be a multiple of nums_head")
        self.num_heads, self.head_dim, self.latent_dim = nums_head, hidden_dim // nums_head, latent_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.k_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.v_up = nn.Linear(latent_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        c_kv = self.kv_down(x)
        past = 0
        if cache is not None:
            past = cache.size(1)
            c_kv = torch.cat((cache, c_kv), dim=1)
        wk = self.k_up.weight.view(self.num_heads, self.head_dim, -1)
        wv = self.v_up.weight.view(self.num_heads, self.head_dim, -1)
        q = self.q_proj(x).unflatten(-1, (self.num_heads, self.head_dim))
        q_lat = torch.einsum("bnhd,hdl->bhnl", q, wk)
        scores = torch.einsum("bhnl,bml->bhnm", q_lat, c_kv) / math.sqrt(self.latent_dim)
        n = x.size(1)
        scores = scores.masked_fill(torch.arange(past + n)[None] > torch.arange(n)[:, None] + past, -torch.inf)
        ctx = torch.einsum("bhnm,bml->bhnl", scores.softmax(dim=-1), c_kv)
        out = torch.einsum("bhnl,hdl->bnhd", ctx, wv).flatten(2)
        return self.o_proj(out), c_kv
