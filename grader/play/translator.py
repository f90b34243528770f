"""`cross_attention`: a translator of dates, and which input letters each output letter attends to."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import torch

from .asking import CLASSES, Attending
from .catalogue import Play, Without
from .nets import Across, norm, remember, right_attention, translate
from .parts import Grid, Part, Words, Written
from .scene import ModelScene, compared, heat
from .stage import Stage
from .texts import DIGITS, LONGEST, date_pair, encode_date

TRIED = 40
"""Dates translated to measure the share of right ones."""


class TranslatorScene(ModelScene):
    """A model of one layer: ten output slots attend to the letters of a date through the learner's class."""

    model, heads = "dates", 1
    example = "3 may 2024"

    def __init__(self, play: Play, stage: Stage) -> None:
        super().__init__(play, stage)
        self._asked = Attending(stage, CLASSES[play.id], self._layers)

    def read(self, text: str) -> torch.Tensor:
        """The typed text as one source (1, n). Raises KataError."""
        return torch.tensor([encode_date(text)])

    def shown(self, text: str, letters: torch.Tensor, without: Without, *, in_full: bool) -> Iterator[Part]:
        """The translation, the attention of each slot, and the share of dates that are right."""
        yield Words(
            "Your class is the only way from the date that is read (the memory) to the ten places that are written "
            "(x). All weights were trained beforehand."
        )
        (translated,) = self.translated(letters, self._yours)
        yield Written("The date as it is written out", f"{text} -> ", (("your class", translated),))
        yield Words(
            "How to read the map: each row is a place of the answer, each column a letter of the date "
            "(blanks behind fill it up). It is read off your class's own output."
        )
        memory = remember(self._model, letters)
        slots = norm(self._model, "layer.0.norm_1", self._model["slot"])
        yours = self._asked.weights(0, slots, memory, memory=True)[0]
        due = right_attention(self._layers[0], slots[None], memory=memory).weights[0, 0]
        shown = heat("Where each place of the answer looks", text.ljust(LONGEST), yours, rows=translated)
        yield from compared(shown, "The map", yours, due)
        sources, targets = tried()
        came = {"your class": self._yours, "by the formula": self.right}
        rows = [(who, right_of(self.translated(sources, across), targets)) for who, across in came.items()]
        yield Grid(
            f"Of {TRIED} random dates, so many come out right",
            ("", "right"),
            tuple((who, f"{count} of {len(targets)}") for who, count in rows),
        )

    def translated(self, sources: torch.Tensor, across: Across) -> list[str]:
        """The translation of each source."""
        logits = translate(self._model, sources, across)
        return ["".join(DIGITS[number] for number in row) for row in logits.argmax(-1).tolist()]

    def _yours(self, x: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        return self._asked.attend(0, x, memory)

    def right(self, x: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        """The attention to the memory by the formula."""
        return right_attention(self._layers[0], x, memory=memory).output


def tried() -> tuple[torch.Tensor, list[str]]:
    """Random dates, as inputs and as expected outputs."""
    chance = random.Random(8)
    pairs = [date_pair(chance) for _ in range(TRIED)]
    return torch.tensor([encode_date(source) for source, _ in pairs]), [target for _, target in pairs]


def right_of(came: Sequence[str], due: Sequence[str]) -> int:
    """How many are as expected."""
    return sum(one == other for one, other in zip(came, due, strict=True))
