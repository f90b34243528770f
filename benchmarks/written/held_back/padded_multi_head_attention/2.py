# slip: the outputs of padded tokens are set to zero at the end
import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, dropout: float = 0.1):
        super().__init__()
        if hidden_dim % nums_head != 0:
            raise ValueError("hidden_dim must be a multiple of nums_head")
        self.nums_head = nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.att_dropout = nn.Dropout(dropout)

    def forward(self, X, attention_mask=None):
        b, s, width = X.shape
        hd = width // self.nums_head
        q = self.q_proj(X).reshape(b, s, -1, hd).permute(0, 2, 1, 3)
        k = self.k_proj(X).reshape(b, s, -1, hd).permute(0, 2, 3, 1)
        v = self.v_proj(X).reshape(b, s, -1, hd).permute(0, 2, 1, 3)
        score = q @ k * hd ** -0.5
        if attention_mask is not None:
            score = score.masked_fill(~attention_mask.bool()[:, None, None], torch.finfo(score.dtype).min)
        p = self.att_dropout(F.softmax(score, -1))
        out = self.o_proj((p @ v).permute(0, 2, 1, 3).reshape(b, s, width))
        if attention_mask is not None:
            out = out * attention_mask.unsqueeze(-1).to(out.dtype)
        return out
