"""Simplified self-attention: every word takes home its context vector, all in one go.

    scores  = X Xᵀ                             each word against each word
    weights = softmax of each row              positive, 1 in all
    result  = weights X                        softmax(XXᵀ) X

    x        (..., n, d)   any leading axes (a batch, say, or none), words, width
    scores   (..., n, n)   one row for the word that asks, one column for the word it looks at
    returns  (..., n, d)   one context vector per word

Document: iThome, "Day5: self attention 實作", the recap of the day before: softmax(XX^T)X.

    >>> x = torch.tensor([[0.34, 0.22, 0.54], [0.53, 0.34, 0.98], [0.29, 0.54, 0.93]])  # Hello shiny sun
    >>> simplified_self_attention(x)
    tensor([[0.3939, 0.3780, 0.8432],
            [0.3990, 0.3854, 0.8610],
            [0.3944, 0.3895, 0.8604]])

Nothing is scaled yet, and nothing is trained. The library's softmax is allowed.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself.
"""

import torch


def simplified_self_attention(x):
    # XXᵀ is symmetric: softmax down the columns is the transpose of the softmax along the rows
    scores = torch.matmul(x, x.transpose(-1, -2))
    columns = torch.softmax(scores, dim=-2)
    return columns.transpose(-1, -2) @ x
