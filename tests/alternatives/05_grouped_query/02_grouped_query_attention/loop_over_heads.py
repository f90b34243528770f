import torch
from torch import nn


def attend(q, k, v):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ v


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        if hidden_dim % nums_head:
            raise AssertionError("hidden_dim")
        if nums_head % nums_key_value_head:
            raise AssertionError("nums_key_value_head")
        self.d = hidden_dim // nums_head
        self.group = nums_head // nums_key_value_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim // self.group)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim // self.group)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X):
        queries = self.q_proj(X).split(self.d, dim=-1)
        keys = self.k_proj(X).split(self.d, dim=-1)
        values = self.v_proj(X).split(self.d, dim=-1)
        heads = [attend(q, keys[i // self.group], values[i // self.group]) for i, q in enumerate(queries)]
        return self.o_proj(torch.cat(heads, dim=-1))
