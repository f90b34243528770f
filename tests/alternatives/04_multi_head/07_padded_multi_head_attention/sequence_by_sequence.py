import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """One sequence and one head at a time; only the keys and values of real tokens are picked out at all."""

    def __init__(self, hidden_dim, nums_head, dropout=0.1):
        super().__init__()
        width, rest = divmod(hidden_dim, nums_head)
        if rest:
            raise AssertionError("hidden_dim must be divisible by nums_head")
        self.width = width
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.att_dropout = nn.Dropout(dropout)

    def _head(self, q, k, v):
        powers = torch.exp(q @ k.T / self.width**0.5)
        return self.att_dropout(powers / powers.sum(dim=1, keepdim=True)) @ v

    def forward(self, X, attention_mask=None):
        if attention_mask is None:
            attention_mask = torch.ones(X.shape[:2])
        rows = []
        for x, real in zip(X, attention_mask != 0):
            q, k, v = self.q_proj(x), self.k_proj(x[real]), self.v_proj(x[real])
            pieces = [self._head(*each) for each in zip(*(t.split(self.width, dim=1) for t in (q, k, v)))]
            rows.append(self.o_proj(torch.cat(pieces, dim=1)))
        return torch.stack(rows)
