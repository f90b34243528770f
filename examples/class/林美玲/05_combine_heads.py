"""Combine heads: one matrix that does the work of all heads' matrices.

    x · resultᵀ  =  x · W_0ᵀ,  x · W_1ᵀ,  …,  x · W_(h-1)ᵀ     side by side

    head_weights   list of h tensors, each (d_head, d_in)    width of one head, width that comes in
    returns        (h * d_head, d_in)                        width of all heads together, width that comes in

Document: "大语言模型原理与实战, 第二章 注意力机制", notes on Happy-LLM: products put side by side equal
one product with the matrices put together, so that three combined matrices take the place of three for every head. Each
matrix is stored as in nn.Linear, (outputs, inputs).

    >>> combine_heads([torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[5.0, 6.0], [7.0, 8.0]])])
    tensor([[1., 2.],
            [3., 4.],
            [5., 6.],
            [7., 8.]])

With x = (1, 1), head 0 alone makes (3, 7), head 1 alone (11, 15), and the combined matrix (3, 7, 11, 15).

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself.
"""

from collections.abc import Sequence

import torch


def combine_heads(head_weights):
    """What all heads together make of each unit vector is a column of the matrix."""
    x = torch.eye(head_weights[0].shape[-1]).type_as(head_weights[0])
    return torch.concat([torch.nn.functional.linear(x, weight) for weight in head_weights], dim=-1).t()
