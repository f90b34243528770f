import torch
import torch.nn as nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        assert hidden_dim % nums_head == 0 and nums_head % nums_key_value_head == 0
        self.nums_head = nums_head
        self.nums_key_value_head = nums_key_value_head
        self.head_dim = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, nums_head * self.head_dim)
        self.k_proj = nn.Linear(hidden_dim, nums_key_value_head * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, nums_key_value_head * self.head_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X):
        b, s, width = X.shape
        q = self.q_proj(X).view(b, s, self.nums_head, -1).transpose(1, 2)
        k = self.k_proj(X).view(b, s, self.nums_key_value_head, -1).transpose(1, 2)
        v = self.v_proj(X).view(b, s, self.nums_key_value_head, -1).transpose(1, 2)
        k = k.repeat_interleave(self.nums_head // self.nums_key_value_head, 1)
        v = v.repeat_interleave(self.nums_head // self.nums_key_value_head, 1)
        weights = (q @ k.transpose(-1, -2)).softmax(-1)
        return self.o_proj((weights @ v).transpose(1, 2).reshape(b, s, width))
