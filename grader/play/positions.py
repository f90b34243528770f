"""`rotary`, `alibi_bias`, `sinusoidal_positions`: the learner's positions in a model, also beyond its training."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import torch

from grader.judge.case import Case

from . import nets
from .catalogue import NOTHING_OFF, Play, Without
from .parts import Curve, Grid, Part, Words, Written
from .scene import FINDS, LOOKS_BACK, SAME, ModelScene, best, continued, head_maps
from .stage import Stage

KINDS: dict[str, nets.Kind] = {"rotary": "rotary", "alibi_bias": "alibi", "sinusoidal_positions": "sinusoidal"}
NAMES: dict[nets.Kind, str] = {"rotary": "rotary", "alibi": "ALiBi", "sinusoidal": "sines added"}
LONGEST = 128
STRETCH = 16
"""Losses are averaged over this many letters."""
PERIOD, TEXTS = 12, 8
SHIFTS = (1, 100, 10_000)
SLOWER = 1_000_000.0
"""A rotary base so large that slow frequencies at positions up to LONGEST look like those in training."""


class PositionsScene(ModelScene):
    """A model that reads letters and gets its positions from the learner's function."""

    heads = nets.POSITION_HEADS

    def __init__(self, play: Play, stage: Stage) -> None:
        self._kind = self.model = KINDS[play.id]
        super().__init__(play, stage)
        self._width = self._model["token"].shape[1]

    def shown(self, text: str, letters: torch.Tensor, without: Without, *, in_full: bool) -> Iterator[Part]:
        """A head's attention weights, the text written, and the loss on texts longer than in training."""
        yield Words(
            f"A small model that reads letters was trained on texts of {nets.TRAINED} letters. It has no table of "
            "places: your function alone tells it where a letter stands."
        )
        if without:
            yield Words(f"Switched off: {without}. Every letter stands nowhere.", "warning")
        else:
            yield Words("How to read the map: each row is a letter that asks, each column one that is looked at.")
        n, chosen = len(letters), self._shown_heads()
        yours = self._weights(letters, self._places(n, without))
        due = self._weights(letters, self._places(n) if without else nets.right_places(self._kind, n, self._width))
        yield from head_maps(text, chosen if in_full else dict(list(chosen.items())[:1]), yours, due, str(without))
        self._stage.begin()
        texts = [("your function", self._continued(letters, NOTHING_OFF))]
        if without:
            texts.append((f"without {without}", self._continued(letters, without)))
        yield Written("What the model writes, the likeliest letter each time", text, tuple(texts))
        self._stage.begin()
        if self._kind == "rotary" and not without:
            yield self._shifted()
            self._stage.begin()
        lines = self._lines(without)
        ends = tuple(range(STRETCH, LONGEST + 1, STRETCH))
        yield Grid.of(
            f"Loss on random letters, repeated after {PERIOD}, in nats (guessing is 3.26); "
            f"trained up to letter {nets.TRAINED}",
            ("letters", *lines),
            {f"{end - STRETCH + 1}-{end}": [line[n] for line in lines.values()] for n, end in enumerate(ends)},
        )
        title = f"Beyond training: letters up to {nets.TRAINED} were seen there, later places never"
        yield Curve(title, "letter", "loss", tuple(map(float, ends)), tuple(lines.items()))

    def _places(self, n: int, without: Without = NOTHING_OFF, base: float | None = None) -> nets.Places:
        """The learner's positions for n letters; base: of `apply_rotary`, its own by default. Raises Stopped."""
        if without.positions:
            return nets.causal(n)
        if self._kind == "rotary":
            return replace(nets.causal(n), turn=lambda x: self._turned(x, **({} if base is None else {"base": base})))
        case, is_alibi = Case(), self._kind == "alibi"
        given, shape = ((nets.POSITION_HEADS, n), (nets.POSITION_HEADS, n, n)) if is_alibi else ((n, self._width),) * 2
        case.call(case.entry(self._play.id), *given, return_as="places")
        (told,) = self._stage.tensors(case, [shape], torch.float32)
        return nets.Places(bias=told) if is_alibi else replace(nets.causal(n), added=told)

    def _turned(self, x: torch.Tensor, **how: Any) -> torch.Tensor:
        case = Case()
        case.call(case.entry("apply_rotary"), x, return_as="turned", **how)
        return self._stage.tensors(case, [x.shape], x.dtype)[0]

    def _weights(self, letters: torch.Tensor, places: nets.Places) -> torch.Tensor:
        """The attention weights (layers, heads, n, n) for one text."""
        return nets.weights_by_formula(self._model, self._layers, letters, places)

    def _shown_heads(self) -> dict[tuple[int, int], str]:
        """Which heads are shown, and why: chosen by the formula, on random letters that are repeated."""
        weights = self._weights(_said_again(nets.TRAINED)[0], nets.right_places(self._kind, nets.TRAINED, self._width))
        back = weights.diagonal(-1, 2, 3).mean(-1)
        found = weights.diagonal(-(PERIOD - 1), 2, 3)[..., 1:].mean(-1)
        return {best(back): LOOKS_BACK, best(found): FINDS}

    def _continued(self, letters: torch.Tensor, without: Without) -> str:
        return continued(letters, lambda seen: read(self._kind, seen, self._places(seen.shape[1], without)))

    def _shifted(self) -> Grid:
        """Queries and keys rotated as if the text began at a later position: only their distance matters."""
        size = (1, nets.POSITION_HEADS, nets.TRAINED, self._layers[0].head_width)
        x = torch.randn(size, generator=torch.Generator().manual_seed(1))
        return Grid.of(
            "The same text, begun at a later place (offset): how far the scores move, as a share of the largest",
            ("begun at", "yours", "by the formula"),
            {
                f"place {shift}": [
                    moved(self._turned(x), self._turned(x, offset=shift)),
                    moved(nets.turned(x), nets.turned(x, shift)),
                ]
                for shift in SHIFTS
            },
            decimals=4,
        )

    def _lines(self, without: Without) -> dict[str, tuple[float, ...]]:
        """The losses along a text by the learner's positions, and by the formula of each kind."""
        yours = losses_of(self._kind, self._places(LONGEST))
        known = {f"without {without}": losses_of(self._kind, self._places(LONGEST, without))} if without else {}
        known[f"yours: {NAMES[self._kind]}"] = yours
        if self._kind == "rotary" and not without:
            known[f"yours, base {SLOWER:,.0f}"] = losses_of(self._kind, self._places(LONGEST, base=SLOWER))
        for kind, name in NAMES.items():
            due = right_losses(kind)
            is_alike = all(abs(a - b) < SAME * 10 for a, b in zip(yours, due, strict=True))
            if kind != self._kind or not is_alike:
                known[f"{name}, by the formula" if kind == self._kind else name] = due
        return known


def moved(before: torch.Tensor, after: torch.Tensor) -> float:
    """How much the scores of tokens with themselves change, as a share of the largest."""
    scores_before = before @ before.mT
    return ((after @ after.mT - scores_before).abs().amax() / scores_before.abs().amax()).item()


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
