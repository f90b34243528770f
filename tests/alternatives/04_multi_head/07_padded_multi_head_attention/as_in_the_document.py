import math

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, nums_head, dropout=0.1) -> None:
        super().__init__()
        assert hidden_dim % nums_head == 0
        self.nums_head = nums_head
        self.head_dim = hidden_dim // nums_head
        self.hidden_dim = hidden_dim
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.att_dropout = nn.Dropout(dropout)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, X, attention_mask=None):
        batch_size, seq_len, _ = X.size()
        q_state = self.q_proj(X).view(batch_size, seq_len, self.nums_head, self.head_dim).permute(0, 2, 1, 3)
        k_state = self.k_proj(X).view(batch_size, seq_len, self.nums_head, self.head_dim).transpose(1, 2)
        v_state = self.v_proj(X).view(batch_size, seq_len, self.nums_head, self.head_dim).transpose(1, 2)
        attention_weight = q_state @ k_state.transpose(-1, -2) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            attention_mask = attention_mask.unsqueeze(1).unsqueeze(2).expand_as(attention_weight)
            attention_weight = attention_weight.masked_fill(attention_mask == 0, float("-1e20"))
        attention_weight = torch.softmax(attention_weight, dim=3)
        attention_weight = self.att_dropout(attention_weight)
        output_mid = attention_weight @ v_state
        output_mid = output_mid.transpose(1, 2).contiguous()
        output = output_mid.view(batch_size, seq_len, -1)
        return self.o_proj(output)
