# slips: the values are taken from the keys' projection; kv heads that do not divide the query heads are not refused
import torch
from torch import nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        assert hidden_dim % nums_head == 0
        self.nums_head, self.kv = nums_head, nums_key_value_head
        self.d = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, self.kv * self.d)
        self.v_proj = nn.Linear(hidden_dim, self.kv * self.d)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X):
        Q = self.q_proj(X).split(self.d, dim=-1)
        K = self.k_proj(X).split(self.d, dim=-1)
        V = self.k_proj(X).split(self.d, dim=-1)
        per_group = self.nums_head // self.kv
        outs = []
        for i, q in enumerate(Q):
            j = min(i // per_group, self.kv - 1)
            w = torch.softmax(q @ K[j].transpose(1, 2) * self.d ** -0.5, dim=-1)
            outs.append(w @ V[j])
        return self.o_proj(torch.cat(outs, dim=-1))
