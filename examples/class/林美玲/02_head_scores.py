"""Head scores: compare every token with every token, in each head by itself, with one product.

    result[b, head, i, j] = a[b, head, i] · a[b, head, j]

    a        (b, h, n, d)    batch, heads, tokens, width of one head
    returns  (b, h, n, n)    batch, heads, token i, token j

Document: iThome, "Day 15. Multi-head Attention", the trial in which a tensor of four axes meets its own transpose.
There, with two heads of three tokens of width four:

    >>> first = [[0.2745, 0.6584, 0.2775, 0.8573], [0.8993, 0.0390, 0.9268, 0.7388], [0.7179, 0.7058, 0.9156, 0.4340]]
    >>> second = [[0.0772, 0.3565, 0.1479, 0.5331], [0.4066, 0.2318, 0.4545, 0.9737], [0.4606, 0.5159, 0.4220, 0.5786]]
    >>> a = torch.tensor([[first, second]])
    >>> head_scores(a)
    tensor([[[[1.3208, 1.1631, 1.2879],
              [1.1631, 2.2150, 1.8424],
              [1.2879, 1.8424, 2.0402]],
    <BLANKLINE>
             [[0.4391, 0.7003, 0.5903],
              [0.7003, 1.3737, 1.0620],
              [0.5903, 1.0620, 0.9912]]]])

These are the bare products: nothing is scaled, and there is no softmax.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself.
"""

import torch


def head_scores(a):
    """The outer products of every column of the width, added up."""
    total = 0
    for column in a.unbind(-1):
        total = total + column.unsqueeze(-1) * column.unsqueeze(-2)
    return total
