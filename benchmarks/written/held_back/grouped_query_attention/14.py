# slips: the scores are scaled by hidden_dim instead of head_dim; a causal mask is used that nobody asked for
import math

import torch
import torch.nn.functional as F
from torch import nn


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
        B, T, C = X.size()
        q = self.q_proj(X).view(B, T, self.nums_head, self.head_dim).permute(0, 2, 1, 3)
        k = self.k_proj(X).view(B, T, self.nums_key_value_head, self.head_dim).permute(0, 2, 1, 3)
        v = self.v_proj(X).view(B, T, self.nums_key_value_head, self.head_dim).permute(0, 2, 1, 3)
        g = self.nums_head // self.nums_key_value_head
        k, v = torch.repeat_interleave(k, g, 1), torch.repeat_interleave(v, g, 1)
        att = q @ k.transpose(-2, -1) * (1.0 / math.sqrt(C))
        causal = torch.ones(T, T, dtype=torch.bool, device=X.device).tril()
        att = att.masked_fill(~causal, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        return self.o_proj(y.transpose(1, 2).contiguous().view(B, T, C))
