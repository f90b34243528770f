"""`rotary`, `alibi_bias`, `sinusoidal_positions`: the learner's positions in a model, also beyond its training."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import torch

from . import nets
from .catalogue import Off, Play, named
from .parts import Curve, Part, Written
from .scene import LOOKS_BACK, SAME, ModelScene, best, continued, head_maps
from .stage import Stage

KINDS: dict[str, nets.Kind] = {"rotary": "rotary", "alibi_bias": "alibi", "sinusoidal_positions": "sinusoidal"}
NAMES: dict[nets.Kind, str] = {"rotary": "rotary", "alibi": "ALiBi", "sinusoidal": "sines added"}
LONGEST = 128
STRETCH = 16
"""Losses are averaged over this many letters."""
PERIOD, TEXTS = 12, 8
SLOWER = 1_000_000.0
"""A rotary base so large that slow frequencies at positions up to LONGEST look like those in training."""


class PositionsScene(ModelScene):
    """A model that reads letters and gets its positions from the learner's function."""

    heads = nets.POSITION_HEADS

    def __init__(self, play: Play, stage: Stage) -> None:
        self._kind = self.model = KINDS[play.id]
        super().__init__(play, stage)
        self._width = self._model["token"].shape[1]

    def shown(self, text: str, letters: torch.Tensor, off: Off, *, in_full: bool) -> Iterator[Part]:
        """A head's attention weights, the text written, and the loss on texts longer than in training."""
        n = len(letters)
        yours = self._weights(letters, self._places(n, off))
        due = self._weights(letters, self._places(n) if off else nets.right_places(self._kind, n, self._width))
        yield from head_maps(text, {self._shown_head(): LOOKS_BACK}, yours, due, off)
        self._stage.begin()
        texts = [("your function", self._continued(letters, ()))]
        if off:
            texts.append((f"without {named(off)}", self._continued(letters, off)))
        yield Written("What the model writes, the likeliest letter each time", text, tuple(texts))
        self._stage.begin()
        ends = tuple(float(end) for end in range(STRETCH, LONGEST + 1, STRETCH))
        trained = f"trained up to letter {nets.TRAINED}"
        title = f"Beyond training: loss on random letters, repeated, in nats (guessing is 3.26); {trained}"
        yield Curve(title, "letter", "loss", ends, tuple(self._lines(off).items()))

    def _places(self, n: int, off: Off = (), **how: Any) -> nets.Places:
        """The learner's positions for n letters; how: further arguments of `apply_rotary`. Raises Stopped."""
        if off:
            return nets.causal(n)
        heads, told = nets.POSITION_HEADS, self._stage.told
        if self._kind == "rotary":
            return replace(nets.causal(n), turn=lambda x: told("apply_rotary", x, shape=x.shape, **how))
        if self._kind == "alibi":
            return nets.Places(bias=told("alibi_bias", heads, n, shape=(heads, n, n)))
        added = told("sinusoidal_positions", n, self._width, shape=(n, self._width))
        return replace(nets.causal(n), added=added)

    def _weights(self, letters: torch.Tensor, places: nets.Places) -> torch.Tensor:
        """The attention weights (layers, heads, n, n) for one text."""
        return nets.weights_by_formula(self._model, self._layers, letters, places)

    def _shown_head(self) -> tuple[int, int]:
        """The head that is shown: chosen by the formula, on random letters that are repeated."""
        places = nets.right_places(self._kind, nets.TRAINED, self._width)
        return best(self._weights(_said_again(nets.TRAINED)[0], places).diagonal(-1, 2, 3).mean(-1))

    def _continued(self, letters: torch.Tensor, off: Off) -> str:
        return continued(letters, lambda seen: read(self._kind, seen, self._places(seen.shape[1], off)))

    def _lines(self, off: Off) -> dict[str, tuple[float, ...]]:
        """The losses along a text by the learner's positions, and by the formula of each kind."""
        yours = losses_of(self._kind, self._places(LONGEST))
        known = {f"without {named(off)}": losses_of(self._kind, self._places(LONGEST, off))} if off else {}
        known[f"yours: {NAMES[self._kind]}"] = yours
        if self._kind == "rotary" and not off:
            known[f"yours, base {SLOWER:,.0f}"] = losses_of(self._kind, self._places(LONGEST, base=SLOWER))
        for kind, name in NAMES.items():
            due = right_losses(kind)
            is_alike = all(abs(a - b) < SAME * 10 for a, b in zip(yours, due, strict=True))
            if kind != self._kind or not is_alike:
                known[f"{name}, by the formula" if kind == self._kind else name] = due
        return known


def read(kind: nets.Kind, texts: torch.Tensor, places: nets.Places) -> torch.Tensor:
    """The logits (b, n, letters) of the model that was trained with this kind of positions, with these ones."""
    model = nets.load(kind)
    attend = nets.by_formula(nets.layers_of(model, nets.POSITION_HEADS), places)
    return nets.run(nets.placed(model, places), texts, attend)


def losses_of(kind: nets.Kind, places: nets.Places) -> tuple[float, ...]:
    """The loss in nats in each STRETCH letters, averaged over some texts.

    The first occurrence of the letters is left out: it cannot be predicted.
    """
    texts = _said_again(LONGEST + 1)
    losses = nets.loss_by_letter(read(kind, texts[:, :-1], places), texts[:, 1:]).mean(0)
    losses[:PERIOD] = torch.nan
    return tuple(losses.view(-1, STRETCH).nanmean(1).tolist())


@cache
def right_losses(kind: nets.Kind) -> tuple[float, ...]:
    """The same by the formula."""
    return losses_of(kind, nets.right_places(kind, LONGEST, nets.load(kind)["token"].shape[1]))


def _said_again(length: int) -> torch.Tensor:
    chance = random.Random(9)
    return torch.tensor([nets.encode(nets.repeat(chance, length, PERIOD)) for _ in range(TEXTS)])
