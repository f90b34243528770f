# slip: keys are interleaved but values are tiled
import torch
import torch.nn.functional as F
from torch import nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, nums_key_value_head: int):
        super().__init__()
        if hidden_dim % nums_head or nums_head % nums_key_value_head:
            raise ValueError("sizes do not divide")
        self.n_heads = nums_head
        self.n_kv = nums_key_value_head
        self.hd = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, self.n_kv * self.hd)
        self.v_proj = nn.Linear(hidden_dim, self.n_kv * self.hd)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X):
        b, s, _ = X.shape
        rep = self.n_heads // self.n_kv
        q = self.q_proj(X).reshape(b, s, self.n_heads, self.hd).permute(0, 2, 1, 3)
        k = self.k_proj(X).reshape(b, s, self.n_kv, self.hd).permute(0, 2, 1, 3)
        v = self.v_proj(X).reshape(b, s, self.n_kv, self.hd).permute(0, 2, 1, 3)
        k = torch.repeat_interleave(k, rep, dim=1)
        v = torch.cat([v] * rep, dim=1)
        y = F.scaled_dot_product_attention(q, k, v)
        return self.o_proj(y.permute(0, 2, 1, 3).reshape(b, s, -1))
