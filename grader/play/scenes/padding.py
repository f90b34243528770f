"""`padded_multi_head_attention`: a sentence with hidden letters, alone and padded, with right and inverted mask."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import torch

from grader.play.catalogue import BadText, switched_off
from grader.play.texts import ALPHABET, GAP, HIDDEN, decode, encode_with_gaps, story

from ..asking import Attending, projected
from ..catalogue import Play
from ..nets import Attend, layers_of, load, loss_by_letter, projections_of, run
from ..parts import Grid, Heat, Part, Words, Written
from ..stage import Stage

MODEL = "gaps_8"
HEADS = 8
CONTEXT = 48
EXAMPLE = "rado met zaru. zaru gave r_d_ a drum."
PADDING = 10
PAD, PAD_SIGN = 0, "-"
MEASURED_TEXTS, MEASURED_LETTERS, HIDDEN_EVERY = 12, 36, 7

Mask = torch.Tensor | None


class PaddingScene:
    """A model that guesses hidden letters from both sides; its attention is the learner's class."""

    example = EXAMPLE

    def __init__(self, play: Play, stage: Stage) -> None:
        self._play, self._stage = play, stage
        self._model = load(MODEL)
        self._layers = tuple(projections_of(self._model, each, HEADS) for each in range(layers_of(self._model)))
        self._asked = Attending(stage, projected("MultiHeadAttention", 0.0), self._layers)

    def parts(self, text: str, off: Sequence[str], *, in_full: bool) -> Iterator[Part]:
        """The guesses and the attention weights, in four ways."""
        switched_off(self._play, off, len(self._layers), HEADS)
        letters = read_gaps(text, CONTEXT - PADDING)
        self._stage.begin()
        yield Words(
            f"Your class is the attention of a small model that guesses hidden letters ({HIDDEN}). The same sentence "
            f"is shown alone, and with {PADDING} letters of padding behind it, as in a batch with a longer one."
        )
        ways = self._ways(letters)
        yield Written(
            "What the model fills in", "", tuple((name, self.filled(letters, *way)) for name, way in ways.items())
        )
        yield self._surprise()
        yield Words(
            "How to read a map: each row is a letter that asks, each column one that is looked at, all heads of the "
            f"first layer together; {PAD_SIGN} is padding. They are read off your class's own output."
        )
        for name in ("padded, mask right", "padded, mask inverted") if not in_full else list(ways)[1:]:
            yield self._map(name, text, *ways[name])

    def _ways(self, letters: torch.Tensor) -> dict[str, tuple[torch.Tensor, Mask]]:
        padded = torch.cat([letters, torch.full((PADDING,), PAD)])
        real = (torch.arange(len(padded)) < len(letters)).long()
        return {
            "alone": (letters, None),
            "padded, mask right": (padded, real),
            "padded, mask inverted": (padded, 1 - real),
            "padded, no mask": (padded, None),
        }

    def attend(self, mask: Mask) -> Attend:
        """The learner's class with a mask (b, n) or none."""
        return self._asked.attend if mask is None else lambda layer, x: self._asked.attend(layer, x, mask)

    def filled(self, letters: torch.Tensor, shown: torch.Tensor, mask: Mask) -> str:
        """The text with its hidden letters replaced by guesses."""
        logits = run(self._model, shown[None], self.attend(None if mask is None else mask[None]))
        return guessed(letters, logits[0])

    def _map(self, name: str, text: str, shown: torch.Tensor, mask: Mask) -> Heat:
        seen: list[torch.Tensor] = []

        def look(layer: int, x: torch.Tensor) -> torch.Tensor:
            if not seen:
                others = () if mask is None else (mask[None],)
                seen.append(self._asked.weights(layer, x[0], *others))
            return torch.zeros_like(x)

        run(self._model, shown[None], look)
        letters = tuple(text + PAD_SIGN * (len(shown) - len(text)))
        together = seen[0].mean(0)
        return Heat(
            f"What is looked at: {name}", letters, letters, tuple(tuple(row) for row in together.tolist()), high=0.5
        )

    def _surprise(self) -> Grid:
        rows = []
        for name in ("alone", "padded, mask right", "padded, mask inverted", "padded, no mask"):
            rows.append((name, f"{self.loss(name):.2f}"))
        return Grid(
            "How surprised the model is by the hidden letters of other sentences (loss in nats; guessing is 3.26)",
            ("", "loss"),
            tuple(rows),
        )

    def loss(self, way: str) -> float:
        """The loss in nats on hidden letters, in sentences that no model was trained on."""
        texts, is_hidden = measured_gaps()
        shown = texts.masked_fill(is_hidden, GAP)
        alone, mask = self._ways(shown[0])[way]
        padded = torch.cat([shown, torch.full((len(shown), len(alone) - shown.shape[1]), PAD)], dim=1)
        masks = None if mask is None else mask.expand(len(shown), -1).contiguous()
        return gap_loss(run(self._model, padded, self.attend(masks)), texts, is_hidden)


def read_gaps(text: str, most: int) -> torch.Tensor:
    """The typed text, with its hidden letters, as numbers. Raises BadText."""
    if not 2 <= len(text) <= most:
        raise BadText(f"Type 2 to {most} letters; these are {len(text)}.")
    if HIDDEN not in text:
        raise BadText(f"Hide at least one letter: type {HIDDEN} in its place.")
    try:
        return torch.tensor(encode_with_gaps(text))
    except ValueError as error:
        raise BadText(str(error)) from None


def guessed(letters: torch.Tensor, logits: torch.Tensor) -> str:
    """The text of some letters, with each hidden one as it was guessed."""
    best = logits[: len(letters), : len(ALPHABET)].nan_to_num(0.0).argmax(-1)
    return decode(torch.where(letters == GAP, best, letters).tolist())


def measured_gaps() -> tuple[torch.Tensor, torch.Tensor]:
    """Sentences (b, n) that no model was trained on, and which letters are hidden."""
    chance = random.Random(4)
    texts = [story(chance, MEASURED_LETTERS) for _ in range(MEASURED_TEXTS)]
    places = torch.arange(MEASURED_LETTERS).expand(MEASURED_TEXTS, -1)
    # a name's first occurrence stands at the beginning and cannot be guessed, so nothing is hidden there
    is_hidden = ((places + torch.arange(MEASURED_TEXTS)[:, None]) % HIDDEN_EVERY == 0) & (
        places > MEASURED_LETTERS // 3
    )
    return torch.tensor([encode_with_gaps(text) for text in texts]), is_hidden


def gap_loss(logits: torch.Tensor, texts: torch.Tensor, is_hidden: torch.Tensor) -> float:
    """The loss in nats on hidden letters; what follows the texts is padding."""
    return loss_by_letter(logits[:, : texts.shape[1]], texts)[is_hidden].mean().item()
