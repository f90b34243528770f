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
        # BEGIN SOLUTION
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)
        self.scaling = hidden_size**-0.5
        # END SOLUTION

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # BEGIN SOLUTION
        query, key, value = self.linear_q(x), self.linear_k(x), self.linear_v(x)
        scores = query @ key.transpose(-2, -1) * self.scaling
        weights = F.softmax(scores, dim=-1)
        return weights @ value
        # END SOLUTION
