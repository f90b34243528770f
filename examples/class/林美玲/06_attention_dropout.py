"""Dropout on the attention weights: in training some of them are left out at random.

    result = 0                   with probability p           each element by itself
    result = weight / (1 - p)    otherwise                    so that the mean stays what it was
    result = weight              when not training            nothing is left out, nothing grows

    weights    any shape, such as (b, h, q, k)   batch, head, query, key; float32 or float64
    p          a number from 0 to 1: the probability to drop a weight, not to keep it
    training   True in training, False in evaluation
    returns    the shape and dtype of the weights

Document: HackTricks, "4. Attention Mechanisms", masking additional attention weights with dropout. It uses nn.Dropout
with p = 0.5, and says that 10 to 20 % are usual. Here you write what that layer does.

    >>> attention_dropout(torch.tensor([0.2291, 0.4063, 0.3646]), p=0.5, training=False)
    tensor([0.2291, 0.4063, 0.3646])
    >>> attention_dropout(torch.tensor([0.2291, 0.4063, 0.3646]), p=0.5)        # for instance
    tensor([0.4582, 0.0000, 0.7292])

With p = 0 nothing is dropped, and with p = 1 everything: plain zeros, no NaN. A row need not sum to 1 afterwards. Each
call draws anew. Any source of random numbers will do (torch.rand, torch.bernoulli, ...), but the library's dropout is
what this exercise asks you to write.

House rules (first lesson): with gradients; inputs stay as they are; each call stands for itself.
"""

import torch


def attention_dropout(weights: torch.Tensor, p: float, training: bool = True):
    if not training or p == 0.0:
        return weights
    if p >= 1.0:
        return weights * 0
    noise = torch.empty_like(weights, requires_grad=False).bernoulli_(1 - p).div_(1 - p)
    return noise * weights
