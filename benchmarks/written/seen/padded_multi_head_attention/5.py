# slip: a causal mask is applied as well although none is asked
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

    def forward(self, X, attention_mask=None):
        n = X.shape[1]
        q, k, v = [
            torch.stack(proj(X).chunk(self.nums_head, dim=-1), dim=1)
            for proj in (self.q_proj, self.k_proj, self.v_proj)
        ]
        allowed = torch.ones(n, n, dtype=torch.bool, device=X.device).tril()[None, None]
        if attention_mask is not None:
            allowed = allowed & (attention_mask != 0)[:, None, None, :]
        logits = q.matmul(k.transpose(-1, -2)).div(q.size(-1) ** 0.5)
        logits = logits.masked_fill(allowed.logical_not(), -1e38)
        attn = self.att_dropout(F.softmax(logits, dim=-1))
        heads = attn.matmul(v)
        return self.o_proj(torch.cat([h.squeeze(1) for h in heads.split(1, dim=1)], dim=-1))
