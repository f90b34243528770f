# slip: scaled by the square root of nums_head instead of the head's width
import torch
from torch import nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        assert hidden_dim % nums_head == 0, "hidden_dim % nums_head"
        assert nums_head % nums_key_value_head == 0, "nums_head % nums_key_value_head"
        self.h, self.kv = nums_head, nums_key_value_head
        d = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, d * nums_key_value_head)
        self.v_proj = nn.Linear(hidden_dim, d * nums_key_value_head)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.scaling = nums_head ** -0.5

    def forward(self, X):
        g = self.h // self.kv
        q = self.q_proj(X).unflatten(-1, (self.kv, g, -1))
        k = self.k_proj(X).unflatten(-1, (self.kv, -1))
        v = self.v_proj(X).unflatten(-1, (self.kv, -1))
        scores = torch.einsum("bqkgd,bskd->bkgqs", q, k) * self.scaling
        probs = scores.softmax(dim=-1)
        ctx = torch.einsum("bkgqs,bskd->bqkgd", probs, v)
        return self.o_proj(ctx.flatten(2))
