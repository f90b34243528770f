"""`cross_attention`: a translator of dates, and which input letters each output letter attends to."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import torch

from .asking import Attending, self_attention
from .catalogue import BadText, Play, Without
from .nets import norm, remember, right_attention, translate
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
        self._weights = self._layers[0]
        self._asked = Attending(stage, self_attention("CrossAttention"), self._layers)

    def read(self, text: str) -> torch.Tensor:
        """The typed text as one source (1, n). Raises BadText."""
        try:
            return torch.tensor([encode_date(text)])
        except ValueError as error:
            raise BadText(str(error)) from None

    def shown(self, text: str, letters: torch.Tensor, without: Without, *, in_full: bool) -> Iterator[Part]:
        """The translation, the attention of each slot, and the share of dates that are right."""
        yield Words(
            "Your class is the only way from the date that is read (the memory) to the ten places that are written "
            "(x). All weights were trained beforehand."
        )
        translated = self.translated(letters)[0]
        yield Written("The date as it is written out", f"{text} -> ", (("your class", translated),))
        yield from self._alignment(text, letters, translated)
        yield self._share()

    def translated(self, sources: torch.Tensor) -> list[str]:
        """The translation of each source with the learner's class."""
        logits = translate(self._model, sources, lambda x, memory: self._asked.attend(0, x, memory))
        return ["".join(DIGITS[number] for number in row) for row in logits.argmax(-1).tolist()]

    def _alignment(self, text: str, sources: torch.Tensor, translated: str) -> Iterator[Part]:
        memory = remember(self._model, sources)
        slots = norm(self._model, "layer.0.norm_1", self._model["slot"])
        yours = self._asked.weights(0, slots, memory, memory=True)[0]
        due = self.right_weights(slots, memory)
        yield Words(
            "How to read the map: each row is a place of the answer, each column a letter of the date "
            "(blanks behind fill it up). It is read off your class's own output."
        )
        shown = heat("Where each place of the answer looks", text.ljust(LONGEST), yours, rows=translated)
        yield from compared(shown, "The map", yours, due)

    def right_weights(self, slots: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        """The attention weights of each slot by the formula."""
        query, key = slots @ self._weights.query.T, memory[0] @ self._weights.key.T
        scores: torch.Tensor = query @ key.T / len(self._weights.query) ** 0.5
        return scores.softmax(-1)

    def _share(self) -> Grid:
        sources, targets = tried()
        came = {"your class": self.translated(sources), "by the formula": self.right_translation(sources)}
        rows = tuple((who, f"{right_of(texts, targets)} of {len(targets)}") for who, texts in came.items())
        return Grid(f"Of {TRIED} random dates, so many come out right", ("", "right"), rows)

    def right_translation(self, sources: torch.Tensor) -> list[str]:
        """The translation of each source with attention by the formula."""
        logits = translate(self._model, sources, lambda x, memory: right_attention(self._weights, x, memory=memory))
        return ["".join(DIGITS[number] for number in row) for row in logits.argmax(-1).tolist()]


def tried() -> tuple[torch.Tensor, list[str]]:
    """Random dates, as inputs and as expected outputs."""
    chance = random.Random(8)
    pairs = [date_pair(chance) for _ in range(TRIED)]
    return torch.tensor([encode_date(source) for source, _ in pairs]), [target for _, target in pairs]


def right_of(came: Sequence[str], due: Sequence[str]) -> int:
    """How many are as expected."""
    return sum(one == other for one, other in zip(came, due, strict=True))
