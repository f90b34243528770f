import math

import torch
from torch import nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        assert hidden_dim % nums_head == 0, "the heads must share the width evenly"
        assert nums_head % nums_key_value_head == 0, "each key head serves the same number of query heads"
        self.kv = nums_key_value_head
        self.group = nums_head // nums_key_value_head
        self.d = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, self.kv * self.d)
        self.v_proj = nn.Linear(hidden_dim, self.kv * self.d)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X):
        b, s, _ = X.shape
        # no copies: the group is an axis of its own (g), and keys and values have none
        q = self.q_proj(X).view(b, s, self.kv, self.group, self.d)
        k = self.k_proj(X).view(b, s, self.kv, self.d)
        v = self.v_proj(X).view(b, s, self.kv, self.d)
        scores = torch.einsum("bikgd,bjkd->bkgij", q, k) / math.sqrt(self.d)
        mixed = torch.einsum("bkgij,bjkd->bikgd", scores.softmax(-1), v)
        return self.o_proj(mixed.reshape(b, s, -1))
