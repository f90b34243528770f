import torch
from torch import nn


class GroupQueryAttention(nn.Module):
    """(b, kv, group, s, d) against (b, kv, 1, s, d)."""

    def __init__(self, hidden_dim, nums_head, nums_key_value_head):
        super().__init__()
        if hidden_dim % nums_head or nums_head % nums_key_value_head:
            raise ValueError("indivisible")
        self.nums_head, self.kv = nums_head, nums_key_value_head
        width = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, nums_head * width)
        self.k_proj = nn.Linear(hidden_dim, self.kv * width)
        self.v_proj = nn.Linear(hidden_dim, self.kv * width)
        self.o_proj = nn.Linear(nums_head * width, hidden_dim)
        self.register_buffer("root", torch.tensor(float(width)).sqrt())

    def forward(self, X):
        b, s, hidden_dim = X.shape
        q = self.q_proj(X).view(b, s, self.kv, self.nums_head // self.kv, -1).permute(0, 2, 3, 1, 4)
        k = self.k_proj(X).view(b, s, self.kv, 1, -1).permute(0, 2, 3, 4, 1)
        v = self.v_proj(X).view(b, s, self.kv, 1, -1).permute(0, 2, 3, 1, 4)
        scores = torch.matmul(q, k) / self.root
        out = torch.matmul(torch.softmax(scores.float(), -1).type_as(X), v)
        return self.o_proj(out.permute(0, 3, 1, 2, 4).reshape(b, s, hidden_dim))
