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


class CrossAttention(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        raise NotImplementedError("CrossAttention.__init__: still to write")

    def forward(self, x: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError("CrossAttention.forward: still to write")
