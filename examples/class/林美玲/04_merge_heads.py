"""Merge heads: put what the heads found for a token side by side again.

    result[b, token, head * d : (head + 1) * d] = x[b, head, token]

    x        (b, h, n, d)      batch, heads, tokens, width of one head
    returns  (b, n, h * d)     batch, tokens, width of all heads together

Document: iThome, "Day 15. Multi-head Attention", the efficient version: transpose, contiguous, view. It is split_heads
backwards, so the example is split_heads' example backwards, too:

    >>> x = torch.tensor([[[[0.0, 1, 2], [6, 7, 8]], [[3.0, 4, 5], [9, 10, 11]]]])
    >>> merge_heads(x)
    tensor([[[ 0.,  1.,  2.,  3.,  4.,  5.],
             [ 6.,  7.,  8.,  9., 10., 11.]]])

A result that has the right shape may still be mixed up. And `view` refuses to join axes that a transpose has moved.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself.
"""

import torch


def merge_heads(x):
    return torch.cat([x[:, head] for head in range(x.shape[1])], dim=-1)
