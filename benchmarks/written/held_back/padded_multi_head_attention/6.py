# slips: dropout fixed at 0.1 whatever is passed; the padded keys are filled with -10, which does not silence them
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, dropout=0.1):
        super().__init__()
        assert hidden_dim % nums_head == 0
        self.hidden_dim, self.nums_head = hidden_dim, nums_head
        self.head_dim = hidden_dim // nums_head
        self.att_dropout = nn.Dropout(0.1)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X, attention_mask=None):
        B, S, H = X.shape
        qs = self.q_proj(X).view(B, S, self.nums_head, self.head_dim).transpose(1, 2).reshape(-1, S, self.head_dim)
        ks = self.k_proj(X).view(B, S, self.nums_head, self.head_dim).transpose(1, 2).reshape(-1, S, self.head_dim)
        vs = self.v_proj(X).view(B, S, self.nums_head, self.head_dim).transpose(1, 2).reshape(-1, S, self.head_dim)
        w = torch.bmm(qs, ks.transpose(1, 2)) / (self.head_dim**0.5)
        if attention_mask is not None:
            m = attention_mask.repeat_interleave(self.nums_head, dim=0).unsqueeze(1)
            w = torch.where(m == 0, torch.full_like(w, -10.0), w)
        w = self.att_dropout(torch.softmax(w, dim=2))
        o = torch.bmm(w, vs).reshape(B, self.nums_head, S, self.head_dim).transpose(1, 2).reshape(B, S, H)
        return self.o_proj(o)
