# slips: the scores are not scaled; the outputs of padded tokens are set to zero
import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, dropout: float = 0.1):
        super().__init__()
        if hidden_dim % nums_head:
            raise ValueError("hidden_dim has to be a multiple of nums_head")
        self.h = nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.att_dropout = nn.Dropout(dropout)

    def forward(self, X: torch.Tensor, attention_mask: torch.Tensor | None = None) -> torch.Tensor:
        q = self.q_proj(X).unflatten(-1, (self.h, -1)).transpose(1, 2)
        k = self.k_proj(X).unflatten(-1, (self.h, -1)).transpose(1, 2)
        v = self.v_proj(X).unflatten(-1, (self.h, -1)).transpose(1, 2)
        scores = q @ k.mT
        if attention_mask is not None:
            real = attention_mask.bool()
            scores = scores.masked_fill(~real[:, None, None, :], float("-inf"))
        out = (self.att_dropout(F.softmax(scores, -1)) @ v).transpose(1, 2).flatten(2)
        out = self.o_proj(out)
        if attention_mask is not None:
            out = out * real.unsqueeze(-1)
        return out
