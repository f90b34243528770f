"""Rotary position embedding: a token's place turns its vector, pair by pair.

    angle(position, i) = (position + offset) · base^(-2i/d)          i = 0, …, d/2 - 1
    y1 = x1 · cos(angle) - x2 · sin(angle)                           x1: the first half of the width, entry i
    y2 = x1 · sin(angle) + x2 · cos(angle)                           x2: the second half, entry i + d/2

    x        (b, h, n, d)    batch, head, token, width of one head; d is even. float32 or float64
    base     how fast the angles fall from pair to pair; a float or an int
    offset   how many tokens came before the first one (those in a cache, say)
    returns  (b, h, n, d)    batch, head, token, width, in the dtype of x; y1 and y2 stand where x1 and x2 stood

Document: "RoFormer: Enhanced Transformer with Rotary Position Embedding". The paper pairs neighbours (0, 1), (2, 3), …;
here, as in most models of today, entry i is paired with entry i + d/2.

    >>> x = torch.tensor([1.0, 0.0, 0.0, 0.0]).expand(1, 1, 3, 4)       # one pair points to the right, the other is 0
    >>> apply_rotary(x)[0, 0]                                           # after 0, 1 and 2 steps of 1 radian
    tensor([[ 1.0000,  0.0000,  0.0000,  0.0000],
            [ 0.5403,  0.0000,  0.8415,  0.0000],
            [-0.4161,  0.0000,  0.9093,  0.0000]])

Apply it to queries and keys, and their product depends only on how far apart the two tokens are.

House rules (first lesson): with gradients; inputs stay as they are; each call stands for itself.
"""

import torch


from functools import lru_cache


@lru_cache(maxsize=None)
def table(length, half, base):
    speed = torch.tensor(1.0 / base) ** (torch.arange(half) / half)
    angle = torch.arange(length).view(-1, 1) * speed
    return torch.stack([angle.cos(), angle.sin()])


def apply_rotary(x, base=10000.0, offset=0):
    n, half = x.shape[2], x.shape[3] // 2
    cos, sin = table(256, half, float(base))[:, offset : offset + n].to(x)
    out = torch.empty_like(x)
    out[..., :half] = x[..., :half] * cos - x[..., half:] * sin
    out[..., half:] = x[..., :half] * sin + x[..., half:] * cos
    return out
