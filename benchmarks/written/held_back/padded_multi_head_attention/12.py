# slip: the mask is laid along the query axis, so the rows of padded tokens are hidden and padded keys are seen
import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, dropout: float = 0.1):
        super().__init__()
        assert hidden_dim % nums_head == 0
        self.nums_head = nums_head
        self.head_dim = hidden_dim // nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.att_dropout = nn.Dropout(dropout)

    def forward(self, X: torch.Tensor, attention_mask: torch.Tensor | None = None) -> torch.Tensor:
        b, s, c = X.shape
        h, d = self.nums_head, self.head_dim
        q = self.q_proj(X).view(b, s, h, d)
        k = self.k_proj(X).view(b, s, h, d)
        v = self.v_proj(X).view(b, s, h, d)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * d**-0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask.view(b, 1, s, 1) == 0, torch.finfo(scores.dtype).min)
        weights = self.att_dropout(scores.softmax(dim=-1))
        out = torch.einsum("bhqk,bkhd->bqhd", weights, v).reshape(b, s, c)
        return self.o_proj(out)
