"""Split heads: cut every token's vector into one piece for each head.

    result[b, head, token] = x[b, token, head * d : (head + 1) * d]        with d = d_out / num_heads

    x        (b, n, d_out)                        batch, tokens, width of all heads together
    returns  (b, num_heads, n, d_out/num_heads)   batch, heads, tokens, width of one head

Document: iThome, "Day 15. Multi-head Attention", the efficient version; gqa and Happy-LLM do the same.

    >>> split_heads(torch.arange(12.0).view(1, 2, 6), 2)
    tensor([[[[ 0.,  1.,  2.],
              [ 6.,  7.,  8.]],
    <BLANKLINE>
             [[ 3.,  4.,  5.],
              [ 9., 10., 11.]]]])

A width that `num_heads` does not divide is refused with AssertionError or ValueError.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself.
"""

import torch


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    # BEGIN SOLUTION
    batch, num_tokens, d_out = x.shape
    assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
    apart = x.view(batch, num_tokens, num_heads, d_out // num_heads)
    return apart.transpose(1, 2)
    # END SOLUTION
