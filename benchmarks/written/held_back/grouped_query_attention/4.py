# slip: the query heads are grouped the other way round, view(groups, kv) instead of view(kv, groups)
import torch
from torch import nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        assert hidden_dim % nums_head == 0 and nums_head % nums_key_value_head == 0
        self.head_dim = hidden_dim // nums_head
        self.num_kv = nums_key_value_head
        self.group = nums_head // nums_key_value_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, self.num_kv * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, self.num_kv * self.head_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X):
        B, L, D = X.shape
        q = self.q_proj(X).view(B, L, self.group, self.num_kv, self.head_dim).permute(0, 2, 3, 1, 4)
        k = self.k_proj(X).view(B, L, 1, self.num_kv, self.head_dim).permute(0, 2, 3, 1, 4)
        v = self.v_proj(X).view(B, L, 1, self.num_kv, self.head_dim).permute(0, 2, 3, 1, 4)
        a = torch.softmax(q @ k.mT / self.head_dim ** 0.5, dim=-1)
        out = (a @ v).permute(0, 3, 1, 2, 4).reshape(B, L, D)
        return self.o_proj(out)
