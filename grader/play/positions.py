"""`rotary`, `alibi_bias`, `sinusoidal_positions`: the learner's positions in a model, also beyond its training."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, cast

import torch

from grader.judge.case import Case

from .catalogue import NOTHING_OFF, Play, Without
from .nets import (
    POSITION_HEADS,
    TRAINED,
    Attend,
    Kind,
    Places,
    attended,
    load,
    loss_by_letter,
    read,
    right_places,
    scores,
    turned,
)
from .parts import Curve, Grid, Part, Words, Written
from .scene import SAME, ModelScene, compared, continued, heat, plane
from .stage import Stage
from .texts import encode, repeat

KINDS: dict[str, Kind] = {"rotary": "rotary", "alibi_bias": "alibi", "sinusoidal_positions": "sinusoidal"}
NAMES: dict[Kind, str] = {"rotary": "rotary", "alibi": "ALiBi", "sinusoidal": "sines added"}
LONGEST = 128
STRETCH = 16
"""Losses are averaged over this many letters."""
PERIOD, TEXTS = 12, 8
SHIFTS = (1, 100, 10_000)
SLOWER = 1_000_000.0
"""A rotary base so large that slow frequencies at positions up to LONGEST look like those in training."""


class PositionsScene(ModelScene):
    """A model that reads letters and gets its positions from the learner's function."""

    heads = POSITION_HEADS

    def __init__(self, play: Play, stage: Stage) -> None:
        self._kind = self.model = KINDS[play.id]
        super().__init__(play, stage)
        self._width = self._model["token"].shape[1]

    def shown(self, text: str, letters: torch.Tensor, without: Without, *, in_full: bool) -> Iterator[Part]:
        """A head's attention weights, the text written, and the loss on texts longer than in training."""
        yield Words(
            f"A small model that reads letters was trained on texts of {TRAINED} letters. It has no table of places: "
            "your function alone tells it where a letter stands."
        )
        if without:
            yield Words(f"Switched off: {without}. Every letter stands nowhere.", "warning")
        yield from self._map(text, letters, without, in_full=in_full)
        self._stage.begin()
        yield self._written(text, letters, without)
        self._stage.begin()
        if self._kind == "rotary" and not without:
            yield from self._shifted()
            self._stage.begin()
        yield from self._beyond(without)

    # --- the learner's function in the model ----------------------------------------------------------------------

    def places(self, n: int, without: Without = NOTHING_OFF, **how: float) -> Places:
        """The learner's positions for n letters; how: further arguments of `apply_rotary`."""
        if without.positions:
            return Places()
        case = Case()
        if self._kind == "rotary":
            return Places(turn=lambda x: self._turned(x, **how))
        if self._kind == "alibi":
            case.call(case.entry("alibi_bias"), POSITION_HEADS, n, return_as="bias")
            return Places(bias=self._stage.tensors(case, [(POSITION_HEADS, n, n)], torch.float32)[0])
        case.call(case.entry("sinusoidal_positions"), n, self._width, return_as="places")
        return Places(added=self._stage.tensors(case, [(n, self._width)], torch.float32)[0])

    def _turned(self, x: torch.Tensor, **how: float) -> torch.Tensor:
        case = Case()
        case.call(case.entry("apply_rotary"), x, return_as="turned", **cast("dict[str, Any]", how))
        return self._stage.tensors(case, [x.shape], x.dtype)[0]

    # --- what is seen ---------------------------------------------------------------------------------------------

    def weights(self, letters: torch.Tensor, places: Places) -> torch.Tensor:
        """The attention weights (layers, heads, n, n) for one text."""
        seen: list[torch.Tensor] = []

        def look(layer: int, x: torch.Tensor) -> torch.Tensor:
            seen.append(scores(self._layers[layer], x, places)[0].softmax(-1))
            return attended(self._layers[layer], x, places)

        read(self._model, letters[None], places, look)
        return torch.stack(seen)

    def shown_heads(self) -> dict[tuple[int, int], str]:
        """Which heads are shown, and why: chosen by the formula, on random letters that are repeated."""
        weights = self.weights(_said_again(TRAINED)[0], right_places(self._kind, TRAINED, self._width))
        back = weights.diagonal(-1, 2, 3).mean(-1)
        found = weights.diagonal(-(PERIOD - 1), 2, 3)[..., 1:].mean(-1)
        names = {_best(back): "looks one letter back most"}
        return names | {_best(found): "looks most at what followed last time"}

    def _map(self, text: str, letters: torch.Tensor, without: Without, *, in_full: bool) -> Iterator[Part]:
        yours = self.weights(letters, self.places(len(letters), without))
        due = self.weights(letters, right_places(self._kind, len(letters), self._width))
        if not without:
            yield Words("How to read the map: each row is a letter that asks, each column one that is looked at.")
        before = self.weights(letters, self.places(len(letters))) if without else yours
        chosen = self.shown_heads()
        for layer, head in chosen if in_full else list(chosen)[:1]:
            name = f"Head {layer + 1}.{head + 1}"
            shown = heat(f"{name}: {chosen[layer, head]}", text, yours[layer, head])
            if without:
                yield replace(shown, before=("all on", plane(before[layer, head]), f"without {without}"))
            else:
                yield from compared(shown, name, yours[layer, head], due[layer, head])

    def _written(self, text: str, letters: torch.Tensor, without: Without) -> Written:
        texts = [("your function", self.continued(letters, NOTHING_OFF))]
        if without:
            texts.append((f"without {without}", self.continued(letters, without)))
        return Written("What the model writes, the likeliest letter each time", text, tuple(texts))

    def continued(self, letters: torch.Tensor, without: Without) -> str:
        """The text that the model writes after the letters."""
        return continued(letters, lambda seen: read(self._model, seen, self.places(seen.shape[1], without)))

    def _shifted(self) -> Iterator[Part]:
        """Queries and keys rotated as if the text began at a later position: only their distance matters."""
        x = torch.randn(
            1, POSITION_HEADS, TRAINED, self._layers[0].head_width, generator=torch.Generator().manual_seed(1)
        )
        rows = []
        for shift in SHIFTS:
            yours = moved(self._turned(x), self._turned(x, offset=shift))
            rows.append((f"place {shift}", f"{yours:.4f}", f"{moved(turned(x), turned(x, shift)):.4f}"))
        yield Grid(
            "The same text, begun at a later place (offset): how far the scores move, as a share of the largest",
            ("begun at", "yours", "by the formula"),
            tuple(rows),
        )

    def _beyond(self, without: Without) -> Iterator[Part]:
        yours = stretches(self.losses(self.places(LONGEST, without)))
        known: dict[str, tuple[float, ...]] = {f"yours: {NAMES[self._kind]}": yours}
        if self._kind == "rotary" and not without:
            known[f"yours, base {SLOWER:,.0f}"] = stretches(self.losses(self.places(LONGEST, base=SLOWER)))
        for kind, name in NAMES.items():
            if kind != self._kind or without or not _alike(yours, right_stretches(kind)):
                known[f"{name}, by the formula" if kind == self._kind else name] = right_stretches(kind)
        ends = tuple(range(STRETCH, LONGEST + 1, STRETCH))
        yield Grid(
            f"Loss on random letters, repeated after {PERIOD}, in nats (guessing is 3.26); "
            f"trained up to letter {TRAINED}",
            ("letters", *known),
            tuple(
                (f"{end - STRETCH + 1}-{end}", *(f"{line[number]:.2f}" for line in known.values()))
                for number, end in enumerate(ends)
            ),
        )
        title = f"Beyond training: letters up to {TRAINED} were seen there, later places never"
        yield Curve(title, "letter", "loss", tuple(map(float, ends)), tuple(known.items()))

    def losses(self, places: Places) -> torch.Tensor:
        """The loss in nats for each position (LONGEST,), averaged over some texts."""
        return losses_of(self._kind, places)


def moved(before: torch.Tensor, after: torch.Tensor) -> float:
    """How much the scores of tokens with themselves change, as a share of the largest."""
    scores_before = before @ before.mT
    return ((after @ after.mT - scores_before).abs().amax() / scores_before.abs().amax()).item()


@cache
def _loaded(kind: Kind) -> dict[str, torch.Tensor]:
    return load(kind)


def losses_of(kind: Kind, places: Places, attend: Attend | None = None) -> torch.Tensor:
    """The loss in nats for each position (LONGEST,), averaged over some texts."""
    texts = _said_again(LONGEST + 1)
    logits = read(_loaded(kind), texts[:, :-1], places, attend)
    return loss_by_letter(logits, texts[:, 1:]).mean(0)


@cache
def right_stretches(kind: Kind) -> tuple[float, ...]:
    """The losses by the formula, averaged for display."""
    return stretches(losses_of(kind, right_places(kind, LONGEST, _loaded(kind)["token"].shape[1])))


def stretches(losses: torch.Tensor) -> tuple[float, ...]:
    """The mean of each STRETCH letters, without the first occurrence of the letters, which cannot be predicted."""
    known = losses.clone()
    known[:PERIOD] = torch.nan
    return tuple(known.view(-1, STRETCH).nanmean(1).tolist())


def _alike(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(abs(a - b) < SAME * 10 for a, b in zip(one, other, strict=True))


def _said_again(length: int) -> torch.Tensor:
    chance = random.Random(9)
    return torch.tensor([encode(repeat(chance, length, PERIOD)) for _ in range(TEXTS)])


def _best(scores: torch.Tensor) -> tuple[int, int]:
    place = int(scores.argmax())
    return place // POSITION_HEADS, place % POSITION_HEADS
