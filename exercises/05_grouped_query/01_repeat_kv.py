"""Repeat key or value heads, so that every query head finds the one it shares.

    output[:, i] = x[:, i // n_rep]            heads A B become A A B B for n_rep = 2

    x        (b, kv, n, d)            batch, key/value heads, tokens, width of a head
    returns  (b, kv · n_rep, n, d)    each head n_rep times, the copies next to each other

Document: "手写大模型组件之 Group Query Attention", the two lines that repeat k and v.

    >>> x = torch.tensor([10.0, 20.0]).reshape(1, 2, 1, 1)
    >>> repeat_kv(x, 2).flatten()
    tensor([10., 10., 20., 20.])

The query heads that share a key head are neighbours. That is why the copies are neighbours too.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself.
"""

import torch


def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    raise NotImplementedError("repeat_kv: still to write")
