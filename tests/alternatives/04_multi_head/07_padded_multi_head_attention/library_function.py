import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    """torch's own function does all of it; its key_padding_mask is True where there is padding."""

    def __init__(self, hidden_dim, nums_head, dropout=0.1):
        super().__init__()
        assert hidden_dim % nums_head == 0
        self.hidden_dim, self.nums_head = hidden_dim, nums_head
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.att_dropout = nn.Dropout(dropout)

    def forward(self, X, attention_mask=None):
        layers = (self.q_proj, self.k_proj, self.v_proj)
        first = X.transpose(0, 1)
        out, _ = F.multi_head_attention_forward(
            first,
            first,
            first,
            self.hidden_dim,
            self.nums_head,
            torch.cat([layer.weight for layer in layers]),
            torch.cat([layer.bias for layer in layers]),
            None,
            None,
            False,
            self.att_dropout.p,
            self.o_proj.weight,
            self.o_proj.bias,
            training=self.training,
            key_padding_mask=None if attention_mask is None else attention_mask == 0,
            need_weights=False,
        )
        return out.transpose(0, 1)
