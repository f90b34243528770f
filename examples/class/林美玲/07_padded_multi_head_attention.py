import torch
from torch import nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    """A mask that is added, the scale on the query, float32 softmax, layers made in another order."""

    def __init__(self, hidden_dim: int, nums_head: int, dropout: float = 0.1):
        super().__init__()
        if hidden_dim % nums_head != 0:
            raise ValueError(f"{nums_head} heads do not fit into {hidden_dim}")
        self.num_heads = nums_head
        self.att_dropout = nn.Dropout(p=dropout)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.register_buffer("scale", torch.tensor((hidden_dim // nums_head) ** -0.5), persistent=False)

    def forward(self, X, attention_mask=None):
        b, s, _ = X.shape
        q = (self.q_proj(X) * self.scale).reshape(b, s, self.num_heads, -1)
        k = self.k_proj(X).reshape(b, s, self.num_heads, -1)
        v = self.v_proj(X).reshape(b, s, self.num_heads, -1)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k)
        if attention_mask is not None:
            bias = (1.0 - attention_mask.to(X.dtype)) * torch.finfo(X.dtype).min
            scores = scores + bias.reshape(b, 1, 1, s)
        weights = self.att_dropout(scores.float().softmax(-1).type_as(X))
        return self.o_proj(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(start_dim=2))
