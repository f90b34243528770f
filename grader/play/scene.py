"""What the scenes in trained models share: the model, the typed text, maps, texts that are written, measured texts."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import torch

from grader.errors import KataError

from .catalogue import Play, Without, switched_off
from .nets import Attend, enter, layers_of, load, loss_by_letter, norm, run
from .parts import Grid, Heat, Part, Words
from .stage import Stage
from .texts import ALPHABET, GAP, HIDDEN, decode, encode, known_name, story

EXAMPLE = "rosa met luka. luka gave ro"
MOST_LETTERS = 48
"""Probing can tell at most this many letters apart."""
WRITTEN_LETTERS = 16
GAPS_CONTEXT = 48
SAME = 1e-3
"""Attention weights that differ by less look the same."""
SHOWN_KEYS = 8
BAR = 12
MEASURED_TEXTS, MEASURED_LETTERS, HIDDEN_EVERY = 24, 36, 7


class ModelScene:
    """A scene in a trained model. A subclass gives the model, its heads, an example, and `shown`."""

    model: str
    heads: int
    example = EXAMPLE

    def __init__(self, play: Play, stage: Stage) -> None:
        self._play, self._stage = play, stage
        self._model = load(self.model)
        self._layers = layers_of(self._model, self.heads)

    def parts(self, text: str, off: Sequence[str], *, in_full: bool) -> Iterator[Part]:
        """Yield the parts to show, each as soon as it is computed; in_full: all parts, for a page.

        Raises KataError for bad input, Stopped where the learner's code fails, MachineError.
        """
        without = switched_off(self._play, off, len(self._layers), self.heads)
        letters = self.read(text)
        self._stage.begin()
        yield from self.shown(text, letters, without, in_full=in_full)

    def read(self, text: str) -> torch.Tensor:
        """The typed text as numbers. Raises KataError."""
        return read_text(text)

    def shown(self, text: str, letters: torch.Tensor, without: Without, *, in_full: bool) -> Iterator[Part]:
        """The parts, for a text that was read."""
        raise NotImplementedError

    def first_input(self, letters: torch.Tensor) -> torch.Tensor:
        """The normed input (1, n, width) of the first layer's attention, for one text (n,)."""
        return norm(self._model, "layer.0.norm_1", enter(self._model, letters[None]))


class GapsScene(ModelScene):
    """A scene in a model that guesses hidden letters."""

    def read(self, text: str) -> torch.Tensor:
        """The typed text, with its hidden letters, as numbers. Raises KataError."""
        return read_text(text, GAPS_CONTEXT, gaps=True)

    def loss(self, attend: Attend) -> float:
        """The loss in nats on hidden letters, in sentences that no model was trained on."""
        return gap_loss(lambda texts: run(self._model, texts, attend))


# --- texts ----------------------------------------------------------------------------------------------------------


def read_text(text: str, most: int = MOST_LETTERS, *, gaps: bool = False) -> torch.Tensor:
    """The typed text as numbers; gaps: at least one letter is hidden. Raises KataError."""
    if not 2 <= len(text) <= most:
        raise KataError(f"Type 2 to {most} letters; these are {len(text)}.")
    if gaps and HIDDEN not in text:
        raise KataError(f"Hide at least one letter: type {HIDDEN} in its place.")
    return torch.tensor(encode(text, gaps=gaps))


def continued(
    letters: torch.Tensor, logits_of: Callable[[torch.Tensor], torch.Tensor], count: int = WRITTEN_LETTERS
) -> str:
    """What a model writes after the letters (n,), the likeliest each time; logits_of: (1, n) to (1, n, letters)."""
    begun = len(letters)
    for _ in range(count):
        letters = torch.cat([letters, logits_of(letters[None])[0, -1:].argmax(-1)])
    return decode(letters[begun:].tolist())


def guessed(letters: torch.Tensor, logits: torch.Tensor) -> str:
    """The text of some letters, with each hidden one as it was guessed."""
    best = logits[: len(letters), : len(ALPHABET)].nan_to_num(0.0).argmax(-1)
    return decode(torch.where(letters == GAP, best, letters).tolist())


@cache
def measured_gaps() -> tuple[torch.Tensor, torch.Tensor]:
    """Sentences (b, n) that no model was trained on, and which letters are hidden."""
    chance = random.Random(4)
    texts = [story(chance, MEASURED_LETTERS, known_name) for _ in range(MEASURED_TEXTS)]
    places = torch.arange(MEASURED_LETTERS).expand(MEASURED_TEXTS, -1)
    # a name's first occurrence stands at the beginning and cannot be guessed, so nothing is hidden there
    is_hidden = ((places + torch.arange(MEASURED_TEXTS)[:, None]) % HIDDEN_EVERY == 0) & (
        places > MEASURED_LETTERS // 3
    )
    return torch.tensor([encode(text) for text in texts]), is_hidden


def gap_loss(logits_of: Callable[[torch.Tensor], torch.Tensor]) -> float:
    """The loss in nats on hidden letters of those sentences; logits_of: of sentences (b, n) with gaps in them."""
    texts, is_hidden = measured_gaps()
    logits = logits_of(texts.masked_fill(is_hidden, GAP))
    return loss_by_letter(logits[:, : texts.shape[1]], texts)[is_hidden].mean().item()


# --- maps -----------------------------------------------------------------------------------------------------------


def plane(weights: torch.Tensor) -> tuple[tuple[float, ...], ...]:
    """A tensor (rows, columns) as nested tuples."""
    return tuple(tuple(row) for row in weights.tolist())


def heat(title: str, text: str, weights: torch.Tensor, *, high: float = 1.0, rows: str = "") -> Heat:
    """Attention weights (rows, columns) as a heat map; rows: the letters that ask, if not those of the text."""
    return Heat(title, tuple(rows or text), tuple(text), plane(weights), high=high)


def compared(shown: Heat, name: str, yours: torch.Tensor, due: torch.Tensor) -> Iterator[Part]:
    """The learner's map, and below it the one by the formula where it differs."""
    yield shown
    if not bool((yours - due).abs().amax() < SAME):
        yield Words(f"{name} should look like this:", "warning")
        yield Heat(f"{name} by the formula", shown.rows, shown.columns, plane(due), by_formula=True)


LOOKS_BACK, FINDS = "looks one letter back most", "looks most at what followed last time"


def best(scores: torch.Tensor) -> tuple[int, int]:
    """The layer and head of the largest score (layers, heads); NaN counts as 0."""
    layer, head = divmod(int(scores.nan_to_num(0.0).argmax()), scores.shape[1])
    return layer, head


def head_maps(
    text: str,
    chosen: Mapping[tuple[int, int], str],
    yours: torch.Tensor,
    due: torch.Tensor,
    off: str = "",
) -> Iterator[Part]:
    """The maps of some heads, with why each was chosen, from the weights (layers, heads, n, n) of all.

    due: by the formula, shown where yours differ. off: what is switched off, if anything; then due is with all on, and
    shown beside yours where that changes them.
    """
    unchanged = []
    for (layer, head), why in chosen.items():
        name, weights = f"Head {layer + 1}.{head + 1}", yours[layer, head]
        shown = heat(f"{name}: {why}", text, weights)
        if off and bool((weights - due[layer, head]).abs().amax() < SAME):
            unchanged.append(f"{name.lower()} ({why})")
        elif off:
            yield replace(shown, before=("all on", plane(due[layer, head]), f"without {off}"))
        else:
            yield from compared(shown, name, weights, due[layer, head])
    if unchanged:
        yield Words(f"Not drawn, since the map is the same as with all on: {', '.join(unchanged)}.")


@dataclass(frozen=True)
class AttentionRow:
    """How the row of one letter comes about.

    products: q·k for each key (n,). root: √d. hidden: which keys are masked (n,), or None. weights: the learner's
    (n,). values (n, d), mixed (d,): what the learner's code mixes, and what comes of it; None where that is not known.
    """

    place: int
    products: torch.Tensor
    root: float
    hidden: torch.Tensor | None
    weights: torch.Tensor
    values: torch.Tensor | None = None
    mixed: torch.Tensor | None = None

    def columns(self) -> dict[str, torch.Tensor]:
        """The numbers of each step, by its name; by the formula, too, where the learner's weights differ."""
        scaled = self.products / self.root
        masked = scaled if self.hidden is None else scaled.masked_fill(self.hidden, -torch.inf)
        found = {"q·k": self.products, f"/ {self.root:g}": scaled}
        found |= {} if self.hidden is None else {"masked": masked}
        found["softmax, yours"] = self.weights
        if not bool((self.weights - masked.softmax(-1)).abs().amax() < SAME):
            found["by the formula"] = masked.softmax(-1)
        return found | ({} if self.values is None else {"value": self.values[:, 0]})


def step_by_step(text: str, row: AttentionRow) -> Iterator[Part]:
    """A row from q·k to the mix, for the keys with the largest weights."""
    columns, weights = row.columns(), row.weights.nan_to_num(0.0)
    most = sorted(weights.topk(min(SHOWN_KEYS, len(weights))).indices.tolist())
    rows = [
        (f"{text[key]!r} {key + 1}", *(f"{column[key]:.2f}" for column in columns.values()), _bar(weights[key].item()))
        for key in most
    ]
    if others := [key for key in range(len(weights)) if key not in most]:
        left = f"{weights[others].sum().item():.2f}"
        rows.append((f"{len(others)} others", *(left if name == "softmax, yours" else "" for name in columns), ""))
    if row.mixed is not None:
        rows.append(("your mix", *(f"{row.mixed[0]:.2f}" if name == "value" else "" for name in columns), ""))
    yield Words(
        f"How one row comes about: the letter {text[row.place]!r} ({row.place + 1}) asks. Its query times each key is "
        "a score. The scale makes scores smaller, "
        + ("" if row.hidden is None else "the mask takes later letters away, ")
        + "and softmax makes weights of them."
        + ("" if row.mixed is None else " By these weights the values are mixed; you see the first entry of each.")
    )
    yield Grid("One row, step by step: the keys with the largest weights", ("key", *columns, ""), tuple(rows))


def _bar(weight: float) -> str:
    return "#" * round(BAR * weight)
