"""`rotary`, `alibi_bias`, `sinusoidal_positions`: the learner's positions in a model, also beyond its training."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import torch

from grader.judge.case import Case

from .catalogue import NOTHING_OFF, Play, Without
from .nets import (
    NOWHERE,
    POSITION_HEADS,
    TRAINED,
    Kind,
    Places,
    by_formula,
    layers_of,
    load,
    loss_by_letter,
    right_places,
    run,
    turned,
    unseen,
    weights_by_formula,
)
from .parts import Curve, Grid, Part, Words, Written
from .scene import FINDS, LOOKS_BACK, SAME, ModelScene, best, continued, head_maps
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
        else:
            yield Words("How to read the map: each row is a letter that asks, each column one that is looked at.")
        n, chosen = len(letters), self.shown_heads()
        yours = self.weights(letters, self.places(n, without))
        due = self.weights(letters, self.places(n) if without else right_places(self._kind, n, self._width))
        yield from head_maps(text, chosen if in_full else dict(list(chosen.items())[:1]), yours, due, str(without))
        self._stage.begin()
        texts = [("your function", self.continued(letters, NOTHING_OFF))]
        if without:
            texts.append((f"without {without}", self.continued(letters, without)))
        yield Written("What the model writes, the likeliest letter each time", text, tuple(texts))
        self._stage.begin()
        if self._kind == "rotary" and not without:
            yield self._shifted()
            self._stage.begin()
        yield from self._beyond(without)

    # --- the learner's function in the model ----------------------------------------------------------------------

    def places(self, n: int, without: Without = NOTHING_OFF, base: float | None = None) -> Places:
        """The learner's positions for n letters; base: of `apply_rotary`, its own by default."""
        if without.positions:
            return NOWHERE
        if self._kind == "rotary":
            return Places(turn=lambda x: self._turned(x, **({} if base is None else {"base": base})))
        case, shape = Case(), (POSITION_HEADS, n, n) if self._kind == "alibi" else (n, self._width)
        if self._kind == "alibi":
            case.call(case.entry("alibi_bias"), POSITION_HEADS, n, return_as="places")
        else:
            case.call(case.entry("sinusoidal_positions"), n, self._width, return_as="places")
        (told,) = self._stage.tensors(case, [shape], torch.float32)
        return Places(bias=told) if self._kind == "alibi" else Places(added=told)

    def _turned(self, x: torch.Tensor, **how: Any) -> torch.Tensor:
        case = Case()
        case.call(case.entry("apply_rotary"), x, return_as="turned", **how)
        return self._stage.tensors(case, [x.shape], x.dtype)[0]

    # --- what is seen ---------------------------------------------------------------------------------------------

    def weights(self, letters: torch.Tensor, places: Places) -> torch.Tensor:
        """The attention weights (layers, heads, n, n) for one text."""
        hidden = unseen(len(letters), places)
        return weights_by_formula(self._model, self._layers, letters, hidden, places)

    def shown_heads(self) -> dict[tuple[int, int], str]:
        """Which heads are shown, and why: chosen by the formula, on random letters that are repeated."""
        weights = self.weights(_said_again(TRAINED)[0], right_places(self._kind, TRAINED, self._width))
        back = weights.diagonal(-1, 2, 3).mean(-1)
        found = weights.diagonal(-(PERIOD - 1), 2, 3)[..., 1:].mean(-1)
        return {best(back): LOOKS_BACK, best(found): FINDS}

    def continued(self, letters: torch.Tensor, without: Without) -> str:
        """The text that the model writes after the letters."""
        return continued(letters, lambda seen: read(self._kind, seen, self.places(seen.shape[1], without)))

    def _shifted(self) -> Grid:
        """Queries and keys rotated as if the text began at a later position: only their distance matters."""
        x = torch.randn(
            1, POSITION_HEADS, TRAINED, self._layers[0].head_width, generator=torch.Generator().manual_seed(1)
        )
        rows = []
        for shift in SHIFTS:
            yours = moved(self._turned(x), self._turned(x, offset=shift))
            rows.append((f"place {shift}", f"{yours:.4f}", f"{moved(turned(x), turned(x, shift)):.4f}"))
        return Grid(
            "The same text, begun at a later place (offset): how far the scores move, as a share of the largest",
            ("begun at", "yours", "by the formula"),
            tuple(rows),
        )

    def _beyond(self, without: Without) -> Iterator[Part]:
        yours = losses_of(self._kind, self.places(LONGEST))
        known = {f"without {without}": losses_of(self._kind, self.places(LONGEST, without))} if without else {}
        known[f"yours: {NAMES[self._kind]}"] = yours
        if self._kind == "rotary" and not without:
            known[f"yours, base {SLOWER:,.0f}"] = losses_of(self._kind, self.places(LONGEST, base=SLOWER))
        for kind, name in NAMES.items():
            due = right_losses(kind)
            is_alike = all(abs(a - b) < SAME * 10 for a, b in zip(yours, due, strict=True))
            if kind != self._kind or not is_alike:
                known[f"{name}, by the formula" if kind == self._kind else name] = due
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


def moved(before: torch.Tensor, after: torch.Tensor) -> float:
    """How much the scores of tokens with themselves change, as a share of the largest."""
    scores_before = before @ before.mT
    return ((after @ after.mT - scores_before).abs().amax() / scores_before.abs().amax()).item()


@cache
def _loaded(kind: Kind) -> dict[str, torch.Tensor]:
    return load(kind)


def read(kind: Kind, texts: torch.Tensor, places: Places) -> torch.Tensor:
    """The logits (b, n, letters) of the model that was trained with this kind of positions, with these ones."""
    model = _loaded(kind)
    attend = by_formula(layers_of(model, POSITION_HEADS), unseen(texts.shape[1], places), places)
    return run(model, texts, attend, added=places.added)


def losses_of(kind: Kind, places: Places) -> tuple[float, ...]:
    """The loss in nats in each STRETCH letters, averaged over some texts.

    The first occurrence of the letters is left out: it cannot be predicted.
    """
    texts = _said_again(LONGEST + 1)
    losses = loss_by_letter(read(kind, texts[:, :-1], places), texts[:, 1:]).mean(0)
    losses[:PERIOD] = torch.nan
    return tuple(losses.view(-1, STRETCH).nanmean(1).tolist())


@cache
def right_losses(kind: Kind) -> tuple[float, ...]:
    """The same by the formula."""
    return losses_of(kind, right_places(kind, LONGEST, _loaded(kind)["token"].shape[1]))


def _said_again(length: int) -> torch.Tensor:
    chance = random.Random(9)
    return torch.tensor([encode(repeat(chance, length, PERIOD)) for _ in range(TEXTS)])
