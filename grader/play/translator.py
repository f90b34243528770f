"""`cross_attention`: a translator of dates, and which input letters each output letter attends to."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Iterator
from functools import partial
from operator import eq

import torch
import torch.nn.functional as F

from .catalogue import Off
from .nets import Parameters, encode, feed_forward, norm, right_attention
from .parts import Grid, Part, Written
from .scene import ModelScene, compared, heat

TRIED = 40
"""Dates translated to measure the share of right ones."""

# --- dates, as it reads and writes them -------------------------------------------------------------------------------

FIRST_HALF = ("january", "february", "march", "april", "may", "june")
MONTHS = (*FIRST_HALF, "july", "august", "september", "october", "november", "december")
DATE_LETTERS = " ,./-0123456789abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789-"
SLOTS = len("2024-05-03")
LONGEST = len("september 30, 2024")
FIRST, LAST = datetime.date(1900, 1, 1), datetime.date(2099, 12, 31)
FORMS = ("{day} {month} {year}", "{month} {day}, {year}", "{day}.{number}.{year}", "{day} {short} {year}")


def date_pair(chance: random.Random) -> tuple[str, str]:
    """A random date in one of the forms, and its translation."""
    date = FIRST + datetime.timedelta(days=chance.randint(0, (LAST - FIRST).days))
    return written(date, chance.choice(FORMS)), date.isoformat()


def written(date: datetime.date, form: str) -> str:
    """A date in one of the forms."""
    month = MONTHS[date.month - 1]
    return form.format(day=date.day, month=month, short=month[:3], number=date.month, year=date.year)


def encode_date(text: str) -> list[int]:
    """The number of each letter, padded with blanks."""
    return encode(text.ljust(LONGEST), DATE_LETTERS)


# --- slots that ask, letters that answer ------------------------------------------------------------------------------

Across = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""Cross-attention from slots (b, slots, width) to a memory (b, n, width)."""


def remember(model: Parameters, sources: torch.Tensor) -> torch.Tensor:
    """The encoder: a vector for each letter of the sources (b, n)."""
    h = (model["letter"][sources] + model["place"][: sources.shape[1]]).mT
    for number in (1, 2):
        h = h + F.gelu(F.conv1d(h, model[f"near_{number}"], model[f"near_{number}_bias"], padding="same"))
    return norm(model, "norm_memory", h.mT)


def translate(model: Parameters, sources: torch.Tensor, across: Across) -> torch.Tensor:
    """The logits (b, slots, letters) of the translation, all slots at once."""
    memory = remember(model, sources)
    h = model["slot"].expand(len(sources), -1, -1)
    h = h + across(norm(model, "layer.0.norm_1", h), memory)
    h = h + feed_forward(model, 0, norm(model, "layer.0.norm_2", h))
    return F.linear(norm(model, "norm", h), model["unembed"], model["unembed_bias"])


# --- the scene --------------------------------------------------------------------------------------------------------


class TranslatorScene(ModelScene):
    """A model of one layer: ten output slots attend to the letters of a date through the learner's class."""

    model, heads, known, longest = "dates", 1, DATE_LETTERS, LONGEST

    def read(self, text: str) -> torch.Tensor:
        """The typed text as one source (1, LONGEST). Raises KataError."""
        super().read(text)
        return torch.tensor([encode_date(text)])

    def shown(self, text: str, letters: torch.Tensor, off: Off, *, in_full: bool) -> Iterator[Part]:
        """The translation, the attention of each slot, and the share of dates that are right."""
        ways: dict[str, Across] = {"your class": partial(self.attending.attend, 0), "by the formula": self.right}
        (translated,) = self.translated(letters, ways["your class"])
        yield Written("The date as it is written out", f"{text} -> ", (("your class", translated),))
        memory = remember(self._model, letters)
        slots = norm(self._model, "layer.0.norm_1", self._model["slot"])
        yours = self.attending.weights(0, slots, memory, memory=True)[0]
        due = right_attention(self._layers[0], slots[None], memory=memory).weights[0, 0]
        shown = heat("Where each place of the answer looks", text.ljust(LONGEST), yours, rows=translated)
        yield from compared(shown, due)
        sources, targets = tried()
        right = {who: sum(map(eq, self.translated(sources, across), targets)) for who, across in ways.items()}
        yield Grid.of(
            f"Of {TRIED} random dates, so many come out right",
            ("", "right"),
            {who: [f"{count} of {TRIED}"] for who, count in right.items()},
        )

    def translated(self, sources: torch.Tensor, across: Across) -> list[str]:
        """The translation of each source."""
        logits = translate(self._model, sources, across)
        return ["".join(DIGITS[number] for number in row) for row in logits.argmax(-1).tolist()]

    def right(self, x: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        """The attention to the memory by the formula."""
        return right_attention(self._layers[0], x, memory=memory).output


def tried() -> tuple[torch.Tensor, list[str]]:
    """Random dates, as inputs and as expected outputs."""
    chance = random.Random(8)
    pairs = [date_pair(chance) for _ in range(TRIED)]
    return torch.tensor([encode_date(source) for source, _ in pairs]), [target for _, target in pairs]
