"""The additive mask: a causal mask that is simply added to the scores.

    mask[0, i, j] = -inf   where key j comes after query i      score + (-inf) is -inf: hidden by the softmax
    mask[0, i, j] = 0      everywhere else                      score + 0 is the score: left as it is

    max_seq_len   n, 1 or more: the longest input there will be
    returns       (1, n, n) = (batch, query, key), torch's default float dtype; nothing in it but 0 and -inf

Document: Happy-LLM, "大语言模型原理与实战, 第二章 注意力机制", masked self-attention: a matrix full of -inf,
then triu.

    >>> additive_mask(4)
    tensor([[[0., -inf, -inf, -inf],
             [0., 0., -inf, -inf],
             [0., 0., 0., -inf],
             [0., 0., 0., 0.]]])

The axis of size 1 in front is for the batch: the same mask is broadcast to every sequence of it.
"""

import torch


from functools import lru_cache


@lru_cache(maxsize=None)
def additive_mask(max_seq_len):
    mask = torch.empty(1, max_seq_len, max_seq_len).fill_(-torch.inf).triu_(1)
    return mask.to(torch.get_default_dtype())
