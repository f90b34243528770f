# right: F.scaled_dot_product_attention with a boolean mask expanded over the queries
import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, dropout: float = 0.1):
        super().__init__()
        assert hidden_dim % nums_head == 0
        self.nums_head = nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.att_dropout = nn.Dropout(dropout)

    def forward(self, X: torch.Tensor, attention_mask: torch.Tensor | None = None) -> torch.Tensor:
        b, s, width = X.shape

        def heads(t):
            return t.reshape(b, s, self.nums_head, width // self.nums_head).transpose(1, 2)

        allowed = None
        if attention_mask is not None:
            allowed = (attention_mask != 0)[:, None, None, :].expand(b, self.nums_head, s, s)
        y = F.scaled_dot_product_attention(
            heads(self.q_proj(X)),
            heads(self.k_proj(X)),
            heads(self.v_proj(X)),
            attn_mask=allowed,
            dropout_p=self.att_dropout.p if self.training else 0.0,
        )
        return self.o_proj(y.transpose(1, 2).reshape(b, s, width))
