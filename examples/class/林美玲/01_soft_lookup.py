"""Soft lookup: a little of every value, as much of each as its weight says.

    result = weight_1 * value_1 + weight_2 * value_2 + ... + weight_n * value_n

    weights  (n,)             one number a key: how much of its value comes along
    values   (n,) or (n, d)   one value a key: a number each, or a vector of d numbers each
    returns  ()   or (d,)     one value, of the same kind

Document: the Happy-LLM notes, chapter 2: the dictionary {"apple": 10, "banana": 5, "chair": 2} is asked for "fruit".

    >>> soft_lookup(torch.tensor([0.6, 0.4, 0.0]), torch.tensor([10.0, 5.0, 2.0]))
    tensor(8.)

The weights are taken as they come: they may be negative, and they need not sum to 1.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself.
"""

import torch


def soft_lookup(weights, values):
    scaled = torch.diag(weights) @ values
    return torch.stack(tuple(scaled)).sum(0)
