# slip: key and value heads are tiled with repeat instead of repeat_interleave
import math

import torch
import torch.nn as nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        assert hidden_dim % nums_head == 0
        assert nums_head % nums_key_value_head == 0
        self.hidden_dim = hidden_dim
        self.nums_head = nums_head
        self.nums_key_value_head = nums_key_value_head
        self.head_dim = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, nums_head * self.head_dim)
        self.k_proj = nn.Linear(hidden_dim, nums_key_value_head * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, nums_key_value_head * self.head_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X):
        batch_size, seq, _ = X.size()
        q = self.q_proj(X).view(batch_size, seq, self.nums_head, self.head_dim).transpose(1, 2)
        k = self.k_proj(X).view(batch_size, seq, self.nums_key_value_head, self.head_dim).transpose(1, 2)
        v = self.v_proj(X).view(batch_size, seq, self.nums_key_value_head, self.head_dim).transpose(1, 2)
        n_rep = self.nums_head // self.nums_key_value_head
        k = k.repeat(1, n_rep, 1, 1)
        v = v.repeat(1, n_rep, 1, 1)
        attention_score = (q @ k.transpose(2, 3)) / math.sqrt(self.head_dim)
        attention_weight = torch.softmax(attention_score, dim=-1)
        output = attention_weight @ v
        output = output.transpose(1, 2).contiguous().view(batch_size, seq, -1)
        return self.o_proj(output)
