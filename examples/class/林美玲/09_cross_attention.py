"""Cross-attention: one sequence asks, another one answers.

    query = linear_q(x),   key = linear_k(memory),   value = linear_v(memory)
    output = softmax(query · keyᵀ / √D) · value            the softmax runs over the keys

    x        (B, Lq, D)   batch, tokens that ask, hidden_size
    memory   (B, Lk, D)   batch, tokens that answer, hidden_size
    scores   (B, Lq, Lk)  batch, query token, key token
    returns  (B, Lq, D)   one answer for each token of x

Document: "大语言模型原理与实战, 第二章 注意力机制" (the Happy-LLM notes), the section on self-attention:
in a Transformer's decoder the query comes from the decoder's input, key and value from the encoder's output.

    >>> CrossAttention(64)(torch.rand(2, 5, 64), torch.rand(2, 9, 64)).shape
    torch.Size([2, 5, 64])

The three layers are nn.Linear(hidden_size, hidden_size) with bias, named linear_q, linear_k and linear_v.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself;
the checks load weights by these names.
"""

import torch
import torch.nn.functional as F
from torch import nn


import math


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
