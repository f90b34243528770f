"""What the scenes in trained models share: the model, the typed text, maps, a row step by step, written texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import torch

from grader.errors import KataError
from grader.played import Heat

from .catalogue import Off, Play, named, switched_off
from .nets import ALPHABET, HIDDEN, decode, encode, enter, layers_of, load, norm
from .parts import Grid, Part, Words
from .stage import CLASSES, Attending, Stage

LONGEST_TEXT = 48
"""Probing can tell at most this many letters apart."""
WRITTEN_LETTERS = 16
SAME = 1e-3
"""Attention weights that differ by less look the same."""
SHOWN_KEYS = 8
BAR = 12
LOOKS_BACK, FINDS = "looks one letter back most", "looks most at what followed last time"


class ModelScene:
    """A scene in a trained model. A subclass gives the model, its heads, and `shown`.

    known: the letters that may be typed; longest: how many. has_gaps: whether some are hidden, to be guessed.
    """

    model: str
    heads: int
    known = ALPHABET
    longest = LONGEST_TEXT
    has_gaps = False

    def __init__(self, play: Play, stage: Stage) -> None:
        self._play, self._stage = play, stage
        self._model = load(self.model)
        self._layers = layers_of(self._model, self.heads)

    @property
    def attending(self) -> Attending:
        """The attention of the model's layers by the learner's class."""
        return Attending(self._stage, CLASSES[self._play.id], self._layers)

    def parts(self, text: str, off: Sequence[str], *, in_full: bool) -> Iterator[Part]:
        """Yield the parts to show, each as soon as it is computed; in_full: all parts, for a page.

        Raises KataError for bad input, Stopped where the learner's code fails, MachineError.
        """
        without = switched_off(self._play, off, len(self._layers), self.heads)
        letters = self.read(text)
        self._stage.begin()
        if without:
            yield Words(f"Switched off: {named(without)}.", "warning")
        else:
            yield from map(Words, self._play.intro)
        yield from self.shown(text, letters, without, in_full=in_full)
        yield from map(Words, self._play.closing)

    def read(self, text: str) -> torch.Tensor:
        """The typed text as numbers. Raises KataError."""
        is_known, has_gap = set(text.lower()) <= set(self.known), HIDDEN in text or not self.has_gaps
        if not (2 <= len(text) <= self.longest and is_known and has_gap):
            raise KataError(f"Type {self._play.reads}; 2 to {self.longest} letters.")
        return torch.tensor(encode(text, self.known))

    def shown(self, text: str, letters: torch.Tensor, off: Off, *, in_full: bool) -> Iterator[Part]:
        """The parts after the introduction, for a text that was read."""
        raise NotImplementedError

    def first_input(self, letters: torch.Tensor) -> torch.Tensor:
        """The normed input (1, n, width) of the first layer's attention, for one text (n,)."""
        return norm(self._model, "layer.0.norm_1", enter(self._model, letters[None]))

    def step_by_step(
        self, text: str, x: torch.Tensor, head: int, place: int, yours: torch.Tensor, mixed: torch.Tensor | None
    ) -> Iterator[Part]:
        """How the row of one letter comes about in a head of the first layer, for the keys with the largest weights.

        x: the layer's input (1, n, width). yours, mixed: the learner's weights (n,), and what comes of the values by
        them (d,); None where that is not known. By the formula, too, where yours differ.
        """
        layer = self._layers[0].head(head)
        query, key, value = (x[0] @ matrix.T for matrix in (layer.query, layer.key, layer.value))
        products, root = key @ query[place], layer.head_width**0.5
        scores = products / root
        columns = {"q·k": products, f"/ {root:g}": scores}
        if not self.has_gaps:
            columns["masked"] = scores = scores.masked_fill(torch.arange(len(scores)) > place, -torch.inf)
        columns["softmax, yours"] = yours
        if differs(yours, scores.softmax(-1)):
            columns["by the formula"] = scores.softmax(-1)
        if mixed is not None:
            columns["value"] = value[:, 0]
        weights = yours.nan_to_num(0.0)
        most = sorted(weights.topk(min(SHOWN_KEYS, len(weights))).indices.tolist())
        rows = {
            f"{text[key]!r} {key + 1}": [
                *(f"{column[key]:.2f}" for column in columns.values()),
                "#" * round(BAR * weights[key].item()),
            ]
            for key in most
        }

        def last(name: str, number: torch.Tensor) -> list[str]:
            """A row with a number in one column only."""
            return [*(f"{number:.2f}" if each == name else "" for each in columns), ""]

        if others := [key for key in range(len(weights)) if key not in most]:
            rows[f"{len(others)} others"] = last("softmax, yours", weights[others].sum())
        if mixed is not None:
            rows["your mix"] = last("value", mixed[0])
        yield Words(
            f"How one row comes about: the letter {text[place]!r} ({place + 1}) asks. Its query times each key is a "
            "score. The scale makes scores smaller, a mask takes later letters away if there is one, and softmax makes "
            "weights of them. By these the values are mixed; you see the first entry of each."
        )
        yield Grid.of("One row, step by step: the keys with the largest weights", ("key", *columns, ""), rows)


def continued(letters: torch.Tensor, logits_of: Callable[[torch.Tensor], torch.Tensor]) -> str:
    """What a model writes after the letters (n,), the likeliest each time; logits_of: (1, n) to (1, n, letters)."""
    begun = len(letters)
    for _ in range(WRITTEN_LETTERS):
        letters = torch.cat([letters, logits_of(letters[None])[0, -1:].argmax(-1)])
    return decode(letters[begun:].tolist())


# --- maps -----------------------------------------------------------------------------------------------------------


def plane(weights: torch.Tensor) -> tuple[tuple[float, ...], ...]:
    """A tensor (rows, columns) as nested tuples."""
    return tuple(tuple(row) for row in weights.tolist())


def heat(title: str, text: str, weights: torch.Tensor, *, high: float = 1.0, rows: Sequence[str] = "") -> Heat:
    """Attention weights (rows, columns) as a heat map; rows: names of those that ask, if not the text's letters."""
    return Heat(title, tuple(rows or text), tuple(text), plane(weights), high=high)


def differs(yours: torch.Tensor, due: torch.Tensor) -> bool:
    """Whether two tensors of attention weights look different; NaN does."""
    return not bool((yours - due).abs().amax() < SAME)


def compared(shown: Heat, due: torch.Tensor) -> Iterator[Part]:
    """The learner's map; behind the one by the formula, with a warning, where they differ."""
    if differs(torch.tensor(shown.values), due):
        yield Words("Your map should look like the one by the formula:", "warning")
        shown = replace(shown, before=("by the formula", plane(due), "yours"))
    yield shown


def best(scores: torch.Tensor) -> tuple[int, int]:
    """The layer and head of the largest score (layers, heads); NaN counts as 0."""
    layer, head = divmod(int(scores.nan_to_num(0.0).argmax()), scores.shape[1])
    return layer, head


def head_maps(
    text: str, chosen: Mapping[tuple[int, int], str], yours: torch.Tensor, due: torch.Tensor, off: Off
) -> Iterator[Part]:
    """The maps of some heads, with why each was chosen, from the weights (layers, heads, n, n) of all.

    due: by the formula; where something is off, with all on, and only maps that this changes are drawn.
    """
    unchanged = []
    for (layer, head), why in chosen.items():
        shown = heat(f"Head {layer + 1}.{head + 1}: {why}", text, yours[layer, head])
        if not off:
            yield from compared(shown, due[layer, head])
        elif differs(yours[layer, head], due[layer, head]):
            yield replace(shown, before=("all on", plane(due[layer, head]), f"without {named(off)}"))
        else:
            unchanged.append(shown.title)
    if unchanged:
        yield Words(
            "Not drawn, since the map is the same as with all on (a head that is off still looks, but the model does "
            f"not get what it finds): {'; '.join(unchanged)}."
        )
