import math
import torch
from torch import nn
import torch.nn.functional as F


def attention(query, key, value, dropout=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    p_attn = scores.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn


class CrossAttention(nn.Module):
    def __init__(self, hidden_size: int, p: float = 0.0):
        super().__init__()
        self.linear_q, self.linear_k, self.linear_v = (nn.Linear(hidden_size, hidden_size) for _ in range(3))
        self.dropout = nn.Dropout(p)

    def forward(self, x, memory):
        output, self.last_weights = attention(
            self.linear_q(x), self.linear_k(memory), self.linear_v(memory), self.dropout
        )
        return output
