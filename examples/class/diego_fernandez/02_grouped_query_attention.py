import math

import torch
from torch import nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        assert hidden_dim % nums_head == 0
        assert nums_head % nums_key_value_head == 0
        self.nums_head = nums_head
        self.nums_key_value_head = nums_key_value_head
        self.head_dim = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, nums_head * self.head_dim)
        self.k_proj = nn.Linear(hidden_dim, nums_key_value_head * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, nums_key_value_head * self.head_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X):
        b, s, _ = X.size()
        q = self.q_proj(X).view(b, s, self.nums_head, self.head_dim).transpose(1, 2)
        k = self.k_proj(X).view(b, s, self.nums_key_value_head, self.head_dim).transpose(1, 2)
        v = self.v_proj(X).view(b, s, self.nums_key_value_head, self.head_dim).transpose(1, 2)
        # every query head needs a key and a value
        times = self.nums_head // self.nums_key_value_head
        k = k.repeat(1, times, 1, 1)
        v = v.repeat(1, times, 1, 1)
        weights = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(self.head_dim), dim=-1)
        out = (weights @ v).transpose(1, 2).contiguous().view(b, s, -1)
        return self.o_proj(out)
