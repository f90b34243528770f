"""`cross_attention`: a translator of dates, and which input letters each output letter attends to."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import torch

from grader.play.catalogue import BadText, switched_off

from .. import written_dates
from ..asking import Attending, self_attention
from ..catalogue import Play
from ..nets import load, norm, projections_of, remember, right_attention, translate
from ..parts import Grid, Heat, Part, Words, Written
from ..stage import Stage

MODEL = "dates"
EXAMPLE = "3 may 2024"
TRIED = 40
"""Dates translated to measure the share of right ones."""
SAME = 1e-3


class TranslatorScene:
    """A model of one layer: ten output slots attend to the letters of a date through the learner's class."""

    example = EXAMPLE

    def __init__(self, play: Play, stage: Stage) -> None:
        self._play, self._stage = play, stage
        self._model = load(MODEL)
        self._weights = projections_of(self._model, 0, 1)
        self._asked = Attending(stage, self_attention("CrossAttention"), (self._weights,))

    def parts(self, text: str, off: Sequence[str], *, in_full: bool) -> Iterator[Part]:
        """The translation, the attention of each slot, and the share of dates that are right."""
        switched_off(self._play, off, 1, 1)
        sources = read_date(text)
        self._stage.begin()
        yield Words(
            "Your class is the only way from the date that is read (the memory) to the ten places that are written "
            "(x). All weights were trained beforehand."
        )
        translated = self.translated(sources)[0]
        yield Written("The date as it is written out", f"{text} -> ", (("your class", translated),))
        yield from self._alignment(text, sources, translated)
        yield self._share()

    def translated(self, sources: torch.Tensor) -> list[str]:
        """The translation of each source with the learner's class."""
        logits = translate(self._model, sources, lambda x, memory: self._asked.attend(0, x, memory))
        return ["".join(written_dates.DIGITS[number] for number in row) for row in logits.argmax(-1).tolist()]

    def _alignment(self, text: str, sources: torch.Tensor, translated: str) -> Iterator[Part]:
        memory = remember(self._model, sources)
        slots = norm(self._model, "layer.0.norm_1", self._model["slot"])
        yours = self._asked.weights(0, slots, memory, memory=True)[0]
        due = self.right_weights(slots, memory)
        places = tuple(translated)
        letters = tuple(text.ljust(written_dates.LONGEST))
        yield Words(
            "How to read the map: each row is a place of the answer, each column a letter of the date "
            "(blanks behind fill it up). It is read off your class's own output."
        )
        yield Heat("Where each place of the answer looks", places, letters, plane(yours))
        if not bool((yours - due).abs().amax() < SAME):
            yield Words("It should look like this:", "warning")
            yield Heat("The same by the formula", places, letters, plane(due), by_formula=True)

    def right_weights(self, slots: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        """The attention weights of each slot by the formula."""
        query, key = slots @ self._weights.query.T, memory[0] @ self._weights.key.T
        scores: torch.Tensor = query @ key.T / len(self._weights.query) ** 0.5
        return scores.softmax(-1)

    def _share(self) -> Grid:
        sources, targets = tried()
        came = {"your class": self.translated(sources), "by the formula": self.right_translation(sources)}
        rows = tuple((who, f"{right_of(texts, targets)} of {len(targets)}") for who, texts in came.items())
        return Grid(f"Of {TRIED} dates by chance, so many come out right", ("", "right"), rows)

    def right_translation(self, sources: torch.Tensor) -> list[str]:
        """The translation of each source with attention by the formula."""
        logits = translate(self._model, sources, lambda x, memory: right_attention(self._weights, x, memory=memory))
        return ["".join(written_dates.DIGITS[number] for number in row) for row in logits.argmax(-1).tolist()]


def read_date(text: str) -> torch.Tensor:
    """The typed text as one source. Raises BadText."""
    try:
        return torch.tensor([written_dates.encode(text)])
    except ValueError as error:
        raise BadText(str(error)) from None


def tried() -> tuple[torch.Tensor, list[str]]:
    """Random dates, as inputs and as expected outputs."""
    chance = random.Random(8)
    pairs = [written_dates.pair(chance) for _ in range(TRIED)]
    return torch.tensor([written_dates.encode(source) for source, _ in pairs]), [target for _, target in pairs]


def right_of(came: Sequence[str], due: Sequence[str]) -> int:
    """How many are as expected."""
    return sum(one == other for one, other in zip(came, due, strict=True))


def plane(weights: torch.Tensor) -> tuple[tuple[float, ...], ...]:
    """A tensor as nested tuples, for a heat map."""
    return tuple(tuple(row) for row in weights.tolist())
