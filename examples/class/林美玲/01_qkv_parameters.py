"""Queries, keys and values from three matrices that can be trained.

    queries = x · W_query,   keys = x · W_key,   values = x · W_value

    x        (..., n, d_in)    any leading axes, tokens, width of a token
    W_…      (d_in, d_out)     one matrix each for queries, keys and values
    returns  (queries, keys, values), each (..., n, d_out)

Document: HackTricks, "4. Attention Mechanisms", step 1 of the trainable weights. There d_in is 3 and d_out is 2, and
each matrix is an nn.Parameter filled with random numbers.

    >>> matrices = QKVParameters(3, 2)
    >>> [name for name, _ in matrices.named_parameters()]
    ['W_query', 'W_key', 'W_value']
    >>> [part.shape for part in matrices(torch.rand(6, 3))]
    [torch.Size([6, 2]), torch.Size([6, 2]), torch.Size([6, 2])]

Draw the three matrices at random, each for itself, once: in __init__. Which distribution you draw from is up to you.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself;
the checks load weights by these names.
"""

import torch
from torch import nn


class QKVParameters(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out), requires_grad=True)
        self.W_key = nn.Parameter(torch.rand(d_in, d_out), requires_grad=True)
        self.W_value = nn.Parameter(torch.rand(d_in, d_out), requires_grad=True)

    def forward(self, inputs):
        keys = torch.matmul(inputs, self.W_key)
        queries = torch.matmul(inputs, self.W_query)
        values = torch.matmul(inputs, self.W_value)
        return queries, keys, values
