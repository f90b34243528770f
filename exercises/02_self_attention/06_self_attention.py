"""Self-attention as a module: every token asks every token of its own sequence.

    query, key, value = linear_q(x), linear_k(x), linear_v(x)
    output = softmax(query · keyᵀ / √D) · value            the softmax runs over the keys

    x        (B, L, D)   batch, tokens, hidden_size
    scores   (B, L, L)   batch, query token, key token
    returns  (B, L, D)

Document: iThome, "Day5: self attention 實作", step 3. There `hidden_size` is D, and √D enters as the factor
`hidden_size ** -0.5`.

    >>> MySelfAttention(64)(torch.rand(2, 100, 64)).shape
    torch.Size([2, 100, 64])

The three layers are nn.Linear(hidden_size, hidden_size) with bias, named linear_q, linear_k and linear_v.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself;
the checks load weights by these names.
"""

import torch
import torch.nn.functional as F
from torch import nn


class MySelfAttention(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        raise NotImplementedError("MySelfAttention.__init__: still to write")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError("MySelfAttention.forward: still to write")
