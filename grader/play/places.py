"""The three kinds of positions in `kata play`'s models: rotary, ALiBi, sinusoidal; each by its formula.

A learner's own (`apply_rotary`, `alibi_bias`, `sinusoidal_positions`) is passed in as a function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F

from .nets import Attend, Parameters, Projections, later, layers_of, projections_of, run

HEADS = 4
TRAINED = 32
"""The longest text that these models were trained on, in letters."""
BASE = 10000.0

Kind = Literal["rotary", "alibi", "sinusoidal"]
Tell = Callable[[torch.Tensor], torch.Tensor]
"""Rotary positions: rotates queries or keys (b, heads, n, d)."""


@dataclass(frozen=True)
class Places:
    """The positions of a run over n letters: one of three kinds is set, the others are None.

    turn: rotates queries and keys (b, heads, n, d). bias: added to the scaled scores (heads, n, n), includes the causal
    mask. added: added to the token embeddings (n, width).
    """

    turn: Tell | None = None
    bias: torch.Tensor | None = None
    added: torch.Tensor | None = None


def right_places(kind: Kind, n: int, width: int) -> Places:
    """The positions by the formula."""
    if kind == "rotary":
        return Places(turn=turned)
    if kind == "alibi":
        return Places(bias=sloped(n))
    return Places(added=clocks(n, width))


def turned(x: torch.Tensor, offset: int = 0) -> torch.Tensor:
    """Rotary positions: entry i is rotated with entry i + d/2."""
    n, half = x.shape[-2], x.shape[-1] // 2
    angles = torch.outer(torch.arange(n) + offset, BASE ** (-torch.arange(half) / half)).to(x.dtype)
    first, second = x[..., :half], x[..., half:]
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([first * cos - second * sin, first * sin + second * cos], -1)


def sloped(n: int) -> torch.Tensor:
    """ALiBi (HEADS, n, n): the score falls with the distance of the key; later keys are masked."""
    back = torch.arange(n)[:, None] - torch.arange(n)
    slopes = 2.0 ** (-8 * torch.arange(1, HEADS + 1) / HEADS)
    return (-slopes[:, None, None] * back).masked_fill(back < 0, -torch.inf)


def clocks(n: int, width: int) -> torch.Tensor:
    """Sinusoidal positions (n, width): sines and cosines alternate."""
    angles = torch.outer(torch.arange(n), BASE ** (-2 * torch.arange(width // 2) / width))
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


def scores(weights: Projections, x: torch.Tensor, places: Places) -> torch.Tensor:
    """The scaled scores (b, heads, n, n) for x (b, n, width); later keys are -inf."""
    query, key = (_heads(weights, x, matrix) for matrix in (weights.query, weights.key))
    if places.turn is not None:
        query, key = places.turn(query), places.turn(key)
    found: torch.Tensor = query @ key.mT / weights.head_width**0.5
    if places.bias is not None:
        return found + places.bias
    return found.masked_fill(later(x.shape[1]), -torch.inf)


def attended(weights: Projections, x: torch.Tensor, places: Places) -> torch.Tensor:
    """Causal attention by the formula, with these positions."""
    together: torch.Tensor = scores(weights, x, places).softmax(-1) @ _heads(weights, x, weights.value)
    return F.linear(together.transpose(1, 2).flatten(2), weights.out, weights.out_bias)


def _heads(weights: Projections, x: torch.Tensor, matrix: torch.Tensor) -> torch.Tensor:
    return F.linear(x, matrix).view(len(x), -1, weights.heads, weights.head_width).transpose(1, 2)


def read(model: Parameters, texts: torch.Tensor, places: Places, attend: Attend | None = None) -> torch.Tensor:
    """The logits of a model without position embeddings of its own."""
    layers = [projections_of(model, layer, HEADS) for layer in range(layers_of(model))]
    added = torch.zeros(1) if places.added is None else places.added
    return run(model, texts, attend or (lambda layer, x: attended(layers[layer], x, places)), places=added)
