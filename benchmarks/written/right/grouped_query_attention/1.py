# right: expands the projections' weights to full width and does plain multi-head attention
import torch
from torch import nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        if hidden_dim % nums_head:
            raise ValueError("hidden_dim")
        if nums_head % nums_key_value_head:
            raise ValueError("nums_key_value_head")
        self.h, self.kv, self.d = nums_head, nums_key_value_head, hidden_dim // nums_head
        small = self.kv * self.d
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, small)
        self.v_proj = nn.Linear(hidden_dim, small)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def wide(self, layer, X):
        times = self.h // self.kv
        w = layer.weight.view(self.kv, self.d, -1).repeat_interleave(times, 0)
        b = layer.bias.view(self.kv, self.d).repeat_interleave(times, 0)
        return torch.einsum("bsi,hdi->bhsd", X, w) + b[:, None, :]

    def forward(self, X):
        q = self.q_proj(X).unflatten(2, (self.h, self.d)).transpose(1, 2)
        k, v = self.wide(self.k_proj, X), self.wide(self.v_proj, X)
        p = torch.softmax((q / self.d**0.5) @ k.transpose(-1, -2), -1)
        return self.o_proj(torch.einsum("bhqk,bhkd->bqhd", p, v).flatten(2))
