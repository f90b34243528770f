"""Attention as one function: scores, weights, and the mixture of the values.

    p_attn = softmax(query · keyᵀ / √d)        the softmax runs over the keys
    p_attn = dropout(p_attn)                   only if a dropout is given
    output = p_attn · value

    query    (..., Lq, d)     any leading axes, queries, width of queries and keys
    key      (..., Lk, d)     the same leading axes, keys, width of queries and keys
    value    (..., Lk, dv)    the same leading axes, keys, width of the values (dv may differ from d)
    dropout  an nn.Module such as nn.Dropout(0.1), or any other callable, that takes the weights and gives new ones
    returns  (output, p_attn): (..., Lq, dv) and (..., Lq, Lk)

Document: "大语言模型原理与实战, 第二章 注意力机制" (the Happy-LLM notes), the function `attention`. As there,
the weights are returned as they were used, after the dropout: with one given, a row need not sum to 1. Gradients flow
back from both results: the weights that are returned keep theirs.

    >>> query = torch.ones(1, 4)
    >>> key = torch.tensor([[0.0, 0.0, 0.0, 0.0], [2.1972, 0.0, 0.0, 0.0]])
    >>> value = torch.tensor([[8.0], [4.0]])
    >>> attention(query, key, value)
    (tensor([[5.0000]]), tensor([[0.2500, 0.7500]]))

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself.
"""

import math
from collections.abc import Callable

import torch


def attention(query, key, value, dropout=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    p_attn = scores.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn
