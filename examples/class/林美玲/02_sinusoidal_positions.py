"""Sinusoidal positions: a row of sines and cosines for each place, to be added to the token that stands there.

    angle(p, i)        = p · 10000^(-2i/d)             p = 0, …, num_tokens - 1      i = 0, …, d/2 - 1
    result[p, 2i]      = sin(angle(p, i))              even columns
    result[p, 2i + 1]  = cos(angle(p, i))              the odd column beside it

    num_tokens   how many places, n: 1 or more
    d_model      the width, d: an even number
    returns      (n, d) float32     position, width

Document: none of the five; "Attention Is All You Need", section 3.5.

    >>> sinusoidal_positions(3, 4)      # pair 0 turns by 1 radian a token, pair 1 by 10000^(-1/2) = .01
    tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
            [ 0.8415,  0.5403,  0.0100,  0.9999],
            [ 0.9093, -0.4161,  0.0200,  0.9998]])

A longer table begins with the shorter one: no row depends on how many there are.
"""

import torch


def sinusoidal_positions(num_tokens, d_model):
    """A pair is the number e^(i·angle): its parts, the imaginary one first."""
    speeds = torch.logspace(0, -4, d_model // 2 + 1, dtype=torch.float64)[:-1]
    angles = torch.outer(torch.arange(num_tokens, dtype=torch.float64), speeds)
    turned = torch.view_as_real(torch.polar(torch.ones_like(angles), angles))
    return turned.flip(-1).reshape(num_tokens, d_model).float()
