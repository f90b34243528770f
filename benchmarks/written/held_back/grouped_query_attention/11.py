# slip: the query heads are grouped as (n_rep, kv) instead of (kv, n_rep), so far-apart heads share a key head
import math

import torch
import torch.nn.functional as F
from torch import nn


class GroupQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, nums_key_value_head: int):
        super().__init__()
        assert hidden_dim % nums_head == 0
        assert nums_head % nums_key_value_head == 0
        self.kv = nums_key_value_head
        self.n_rep = nums_head // nums_key_value_head
        self.head_dim = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, self.kv * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, self.kv * self.head_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        b, s, _ = X.shape
        q = self.q_proj(X).view(b, s, self.n_rep, self.kv, self.head_dim)
        k = self.k_proj(X).view(b, s, self.kv, self.head_dim)
        v = self.v_proj(X).view(b, s, self.kv, self.head_dim)
        scores = torch.einsum("bqrgd,bkgd->brgqk", q, k) / math.sqrt(self.head_dim)
        weights = F.softmax(scores, dim=-1)
        out = torch.einsum("brgqk,bkgd->bqrgd", weights, v)
        return self.o_proj(out.reshape(b, s, -1))
