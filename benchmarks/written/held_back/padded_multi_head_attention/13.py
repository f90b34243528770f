# slip: the dropout acts on the scores before the softmax instead of on the weights
import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, dropout=0.1):
        super().__init__()
        assert hidden_dim % nums_head == 0, "hidden_dim must be divisible by nums_head"
        self.hidden_dim, self.nums_head = hidden_dim, nums_head
        self.head_dim = hidden_dim // nums_head
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            setattr(self, name, nn.Linear(hidden_dim, hidden_dim))
        self.att_dropout = nn.Dropout(dropout)

    def forward(self, X, attention_mask=None):
        bs, seq_len, _ = X.size()
        split = lambda t: t.view(bs, seq_len, self.nums_head, self.head_dim).transpose(1, 2)
        q_state, k_state, v_state = split(self.q_proj(X)), split(self.k_proj(X)), split(self.v_proj(X))
        attention_weight = q_state @ k_state.transpose(-1, -2) / math.sqrt(self.head_dim)
        attention_weight = self.att_dropout(attention_weight)
        if attention_mask is not None:
            pad = (attention_mask == 0).unsqueeze(1).unsqueeze(2)
            attention_weight = attention_weight.masked_fill(pad, float("-inf"))
        attention_weight = torch.softmax(attention_weight, dim=3)
        output = attention_weight @ v_state
        output = output.transpose(1, 2).contiguous().view(bs, seq_len, -1)
        return self.o_proj(output)
