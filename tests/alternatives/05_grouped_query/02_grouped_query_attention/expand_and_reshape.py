import torch
from torch import nn


def repeat_kv(x, n_rep):
    b, kv, n, d = x.shape
    return x[:, :, None].expand(b, kv, n_rep, n, d).reshape(b, kv * n_rep, n, d)


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, nums_key_value_head: int) -> None:
        super().__init__()
        if hidden_dim % nums_head != 0:
            raise ValueError("hidden_dim % nums_head")
        if nums_head % nums_key_value_head != 0:
            raise ValueError("nums_head % nums_key_value_head")
        self.heads, self.kv = nums_head, nums_key_value_head
        self.head_dim = hidden_dim // nums_head
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, self.kv * self.head_dim)
        self.k_proj = nn.Linear(hidden_dim, self.kv * self.head_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.scale = self.head_dim**-0.5

    def forward(self, X):
        b, s, _ = X.shape
        q = (self.q_proj(X) * self.scale).reshape(b, s, self.heads, -1).permute(0, 2, 1, 3)
        k = self.k_proj(X).reshape(b, s, self.kv, -1).permute(0, 2, 3, 1)
        v = self.v_proj(X).reshape(b, s, self.kv, -1).permute(0, 2, 1, 3)
        k = repeat_kv(k, self.heads // self.kv)
        v = repeat_kv(v, self.heads // self.kv)
        exps = torch.exp(q @ k)
        return self.o_proj((exps @ v / exps.sum(-1, keepdim=True)).permute(0, 2, 1, 3).flatten(2))
