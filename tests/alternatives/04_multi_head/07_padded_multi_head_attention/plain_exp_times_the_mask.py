import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """exp() of the scores as they are, padding times 0, then each row divided by its sum."""

    def __init__(self, hidden_dim, nums_head, dropout=0.1):
        super().__init__()
        if hidden_dim % nums_head:
            raise ValueError("hidden_dim must be divisible by nums_head")
        self.nums_head = nums_head
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))
        self.att_dropout = nn.Dropout(dropout)

    def forward(self, X, attention_mask=None):
        query, key, value = (
            layer(X).unflatten(-1, (self.nums_head, -1)).transpose(1, 2)
            for layer in (self.q_proj, self.k_proj, self.v_proj)
        )
        exps = torch.exp(query @ key.mT / query.shape[-1] ** 0.5)
        if attention_mask is not None:
            exps = exps * (attention_mask != 0)[:, None, None, :]
        weights = self.att_dropout(exps / exps.sum(dim=-1, keepdim=True))
        return self.o_proj((weights @ value).transpose(1, 2).flatten(2))
