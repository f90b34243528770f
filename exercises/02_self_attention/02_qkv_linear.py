"""Query, key and value: three learned views of the same tokens.

    query = x · W_qᵀ + b_q,   key = x · W_kᵀ + b_k,   value = x · W_vᵀ + b_v
    scaling = 1 / √hidden_size

    x        (..., n, hidden_size)   any leading axes, tokens, width
    returns  (query, key, value), each (..., n, hidden_size)

Document: iThome, "Day5: self attention 實作", step 2: three nn.Linear(hidden_size, hidden_size) with bias, named
linear_q, linear_k and linear_v, and `self.scaling = hidden_size ** -0.5`. The document returns nothing yet at this
step; here `forward` returns the three projections, in this order.

    >>> layers = QKVLinear(64)
    >>> layers.scaling
    0.125
    >>> [part.shape for part in layers(torch.rand(2, 100, 64))]
    [torch.Size([2, 100, 64]), torch.Size([2, 100, 64]), torch.Size([2, 100, 64])]

`scaling` is a number that the next steps will need: `forward` neither uses nor changes it.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself;
the checks load weights by these names.
"""

import torch
from torch import nn


class QKVLinear(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        raise NotImplementedError("QKVLinear.__init__: still to write")

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        raise NotImplementedError("QKVLinear.forward: still to write")
