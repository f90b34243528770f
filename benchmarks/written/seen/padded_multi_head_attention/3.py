# slip: the mask is inverted, real tokens are hidden and padding is seen
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, dropout=0.1):
        super().__init__()
        assert hidden_dim % nums_head == 0, "sizes"
        self.heads = nums_head
        self.d = hidden_dim // nums_head
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            setattr(self, name, nn.Linear(hidden_dim, hidden_dim))
        self.att_dropout = nn.Dropout(dropout)

    def forward(self, X, attention_mask=None):
        b, s, _ = X.shape
        to_heads = lambda t: t.view(b, s, self.heads, self.d).transpose(1, 2)
        q, k, v = to_heads(self.q_proj(X)), to_heads(self.k_proj(X)), to_heads(self.v_proj(X))
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / (self.d ** 0.5)
        if attention_mask is not None:
            hidden = attention_mask.bool().view(b, 1, 1, s)
            scores = scores.masked_fill(hidden, -1e30)
        weights = self.att_dropout(scores.softmax(-1))
        mixed = torch.einsum("bhqk,bhkd->bqhd", weights, v)
        return self.o_proj(mixed.flatten(2))
