"""`sliding_window_mask`: how much a model remembers when each token sees only the last few."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import torch

from grader.judge.case import Case
from grader.play.catalogue import switched_off
from grader.play.texts import CONTEXT, decode, encode, repeat

from ..catalogue import Play
from ..nets import Attend, layers_of, load, loss_by_letter, projections_of, right_attention, run
from ..parts import Curve, Grid, Heat, Part, Words, Written
from ..stage import Stage
from .heads import HEADS, MODEL, WRITTEN_LETTERS, read_text

EXAMPLE = "tipo met zaru. zaru gave ti"
WINDOWS = (2, 4, 8, 12, 16, 24, 32, 48, 64)
PERIODS = (6, 14, 28)
TEXTS = 6
SHOWN = (4, 64)


class WindowScene:
    """A model that reads letters, with attention by the formula and the learner's mask."""

    example = EXAMPLE

    def __init__(self, play: Play, stage: Stage) -> None:
        self._play, self._stage = play, stage
        self._model = load(MODEL)
        self._layers = tuple(projections_of(self._model, each, HEADS) for each in range(layers_of(self._model)))

    def parts(self, text: str, off: Sequence[str], *, in_full: bool) -> Iterator[Part]:
        """The text written with windows of several sizes, and the loss on letters repeated from far back."""
        switched_off(self._play, off, len(self._layers), HEADS)
        letters = read_text(text)
        self._stage.begin()
        yield Words(
            "Your mask is put over the attention of a small model that reads letters. The model was trained without a "
            "window; what is computed with the mask is the formula's."
        )
        for window in SHOWN if in_full else SHOWN[:1]:
            seen = (~self.mask(len(letters), window)).float()
            signs = tuple(text)
            yield Heat(f"What each letter (row) sees, window {window}", signs, signs, _plane(seen))
        texts = [(f"window {window}", self.continued(letters, window)) for window in (4, 16, 64)]
        yield Written("What the model writes", text, tuple(texts))
        losses = {period: tuple(self.loss(period, window) for window in WINDOWS) for period in PERIODS}
        rows = tuple(
            (str(window), *(f"{losses[period][number]:.2f}" for period in PERIODS))
            for number, window in enumerate(WINDOWS)
        )
        names = tuple(f"said again after {period} letters" for period in PERIODS)
        yield Grid(
            "Loss on letters by chance that are said again, in nats (guessing is 3.26)", ("window", *names), rows
        )
        lines = tuple((name, losses[period]) for name, period in zip(names, PERIODS, strict=True))
        yield Curve("How far back it remembers", "window", "loss", tuple(map(float, WINDOWS)), lines)

    def mask(self, num_tokens: int, window: int) -> torch.Tensor:
        """The learner's mask. Raises Stopped if it is not a mask."""
        case = Case()
        case.call(case.entry("sliding_window_mask"), num_tokens, window, return_as="mask")
        return self._stage.tensors(case, [(num_tokens, num_tokens)], torch.bool)[0]

    def attend(self, num_tokens: int, window: int) -> Attend:
        """Attention by the formula with that mask; a letter that sees nothing gets zeros."""
        hidden = self.mask(num_tokens, window)
        return lambda layer, x: right_attention(self._layers[layer], x, hidden).nan_to_num(0.0)

    def continued(self, letters: torch.Tensor, window: int) -> str:
        """The text that the model writes after the letters."""
        for _ in range(WRITTEN_LETTERS):
            logits = run(self._model, letters[None], self.attend(len(letters), window))
            letters = torch.cat([letters, logits[0, -1:].argmax(-1)])
        return decode(letters[-WRITTEN_LETTERS:].tolist())

    def loss(self, period: int, window: int) -> float:
        """The loss in nats on letters that repeat those `period` letters earlier."""
        chance = random.Random(period)
        texts = torch.tensor([encode(repeat(chance, CONTEXT, period)) for _ in range(TEXTS)])
        logits = run(self._model, texts[:, :-1], self.attend(CONTEXT - 1, window))
        return loss_by_letter(logits, texts[:, 1:])[:, period:].mean().item()


def _plane(tensor: torch.Tensor) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in tensor.tolist())
