import torch
from torch import nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        assert hidden_dim % nums_head == 0
        assert nums_head % nums_key_value_head == 0
        self.h, self.kv, self.d = nums_head, nums_key_value_head, hidden_dim // nums_head
        self.g = self.h // self.kv
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, self.kv * self.d)
        self.v_proj = nn.Linear(hidden_dim, self.kv * self.d)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X):
        b, s, _ = X.shape
        Q = self.q_proj(X).view(b, s, self.h, self.d).transpose(1, 2)
        K = self.k_proj(X).view(b, s, self.kv, self.d).transpose(1, 2)
        V = self.v_proj(X).view(b, s, self.kv, self.d).transpose(1, 2)
        q = Q.reshape(b, self.kv, self.g * s, self.d)
        a = torch.softmax(q @ K.mT / self.d**0.5, -1) @ V
        return self.o_proj(a.view(b, self.h, s, self.d).transpose(1, 2).contiguous().view(b, s, -1))
