# slip: the 0/1 mask is added to the scores as it is instead of being turned into a large negative number
import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, nums_head: int, dropout: float = 0.1):
        super().__init__()
        assert hidden_dim % nums_head == 0
        self.num_attention_heads = nums_head
        self.attention_head_size = hidden_dim // nums_head
        self.all_head_size = hidden_dim
        self.q_proj = nn.Linear(hidden_dim, self.all_head_size)
        self.k_proj = nn.Linear(hidden_dim, self.all_head_size)
        self.v_proj = nn.Linear(hidden_dim, self.all_head_size)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.att_dropout = nn.Dropout(dropout)

    def transpose_for_scores(self, x):
        new_shape = x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)
        return x.view(new_shape).permute(0, 2, 1, 3)

    def forward(self, X, attention_mask=None):
        query_layer = self.transpose_for_scores(self.q_proj(X))
        key_layer = self.transpose_for_scores(self.k_proj(X))
        value_layer = self.transpose_for_scores(self.v_proj(X))
        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.attention_head_size)
        if attention_mask is not None:
            extended = attention_mask[:, None, None, :].to(attention_scores.dtype)
            attention_scores = attention_scores + extended
        attention_probs = F.softmax(attention_scores, dim=-1)
        attention_probs = self.att_dropout(attention_probs)
        context_layer = torch.matmul(attention_probs, value_layer)
        context_layer = context_layer.permute(0, 2, 1, 3).contiguous()
        context_layer = context_layer.view(context_layer.size()[:-2] + (self.all_head_size,))
        return self.o_proj(context_layer)
