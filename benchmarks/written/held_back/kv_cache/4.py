# slip: the returned cache holds only the newest chunk's keys and values
import torch
from torch import nn


class CachedAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head):
        super().__init__()
        assert hidden_dim % nums_head == 0, "not divisible"
        self.hidden_dim, self.heads, self.hd = hidden_dim, nums_head, hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        queries = self.q_proj(x).view(b, n, self.heads, self.hd)
        keys_new = self.k_proj(x).view(b, n, self.heads, self.hd)
        values_new = self.v_proj(x).view(b, n, self.heads, self.hd)
        if cache is None:
            keys, values = keys_new, values_new
        else:
            keys = torch.cat([cache[0], keys_new], dim=1)
            values = torch.cat([cache[1], values_new], dim=1)
        past = keys.size(1) - n
        i = torch.arange(past, past + n)[:, None]
        j = torch.arange(past + n)[None, :]
        scores = torch.einsum("bqhd,bkhd->bhqk", queries, keys) / self.hd**0.5
        scores = scores.masked_fill(j > i, float("-inf"))
        weights = scores.softmax(dim=-1)
        out = torch.einsum("bhqk,bkhd->bqhd", weights, values).reshape(b, n, self.hidden_dim)
        return self.o_proj(out), (keys_new, values_new)
