import torch
from torch import nn, softmax


class MultiHeadAttention(nn.Module):
    """torch.where with -1e4, softmax without a keyword, a mask of ones when there is none, layers in a loop."""

    def __init__(self, hidden_dim, nums_head, dropout=0.1):
        super().__init__()
        self.head_dim = hidden_dim // nums_head
        if self.head_dim * nums_head != hidden_dim:
            raise ValueError("hidden_dim must be a multiple of nums_head")
        for name in "qkvo":
            self.add_module(f"{name}_proj", nn.Linear(hidden_dim, hidden_dim))
        self.att_dropout = nn.Dropout(dropout)

    def split(self, x):
        return torch.stack(x.split(self.head_dim, dim=-1), dim=1)

    def forward(self, X, attention_mask=None):
        if attention_mask is None:
            attention_mask = X.new_ones(X.shape[0], X.shape[1])
        visible = attention_mask.to(torch.bool).view(X.shape[0], 1, 1, -1)
        q, k, v = self.split(self.q_proj(X)), self.split(self.k_proj(X)), self.split(self.v_proj(X))
        scores = torch.where(visible, q.matmul(k.mT), torch.tensor(-1e4, dtype=X.dtype))
        weights = self.att_dropout(softmax(scores * self.head_dim**-0.5, -1))
        return self.o_proj(torch.cat(weights.matmul(v).unbind(1), dim=-1))
