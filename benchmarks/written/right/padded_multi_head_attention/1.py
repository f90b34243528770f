# right: the library's attention with a boolean mask that says who takes part
import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, dropout: float = 0.1):
        super().__init__()
        if hidden_dim % nums_head:
            raise ValueError("indivisible")
        self.nums_head = nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.att_dropout = nn.Dropout(dropout)

    def forward(self, X, attention_mask=None):
        parts = [p(X).unflatten(-1, (self.nums_head, -1)).movedim(2, 1) for p in (self.q_proj, self.k_proj, self.v_proj)]
        seen = None if attention_mask is None else attention_mask.bool()[:, None, None, :]
        p = self.att_dropout.p if self.training else 0.0
        y = F.scaled_dot_product_attention(*parts, attn_mask=seen, dropout_p=p)
        return self.o_proj(y.movedim(1, 2).flatten(-2))
