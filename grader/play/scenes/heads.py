"""`causal_attention`, `multi_head_wrapper`, `multi_head_attention`: attention heads of a model that reads letters."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import torch

from grader.play.catalogue import BadText, Without, switched_off
from grader.play.texts import CONTEXT, decode, encode, repeat, story

from .. import asking
from ..asking import Attending, Class
from ..catalogue import Play
from ..nets import later, layers_of, load, loss_by_letter, projections_of, right_attention, right_weights, run
from ..parts import Grid, Heat, Part, Words, Written
from ..stage import Stage

MODEL = "letters"
HEADS = 4
EXAMPLE = "tipo met zaru. zaru gave ti"
MOST_LETTERS = 48
"""Probing can tell at most this many letters apart."""
WRITTEN_LETTERS = 16
PERIODS = (10, 15, 21)
MEASURED_STORIES = 3
MEASURED_LETTERS = 44
STORIES, REPEATS = 6, 6
KNOWN_FROM = 33
"""From this letter on, every letter of a repeat occurred before: its period is at most 32."""
NO_NUMBERS = "Some of what your class puts out is nan, no number. Is there a letter from which everything is hidden?"
SAME = 1e-3
"""Attention weights that differ by less look the same."""

CLASSES: dict[str, Callable[[int], Class]] = {
    "causal_attention": asking.causal_attention,
    "multi_head_wrapper": asking.multi_head_wrapper,
    "multi_head_attention": asking.multi_head_attention,
}


class HeadsScene:
    """A model of two layers that reads letters; its attention is the learner's class."""

    example = EXAMPLE

    def __init__(self, play: Play, stage: Stage) -> None:
        self._play, self._stage = play, stage
        self._model = load(MODEL)
        self._layers = tuple(projections_of(self._model, each, HEADS) for each in range(layers_of(self._model)))
        self._all_on = Attending(stage, CLASSES[play.id](CONTEXT), self._layers)

    def parts(self, text: str, off: Sequence[str], *, in_full: bool) -> Iterator[Part]:
        """Two heads and what they attend to, what the model writes, and its loss without each part."""
        without = switched_off(self._play, off, len(self._layers), HEADS)
        letters = read_text(text)
        asked = replace(self._all_on, without=without)
        self._stage.begin()
        yield Words(
            "Your class is the attention in both layers of a small model that reads letters. Everything else, "
            "and all weights, were trained beforehand."
        )
        if without:
            yield Words(f"Switched off: {without}.", "warning")
        back, found = measured(lambda each: self.all_weights(asked, each))
        yield self._table(back, found)
        yours = self.all_weights(asked, letters)
        shown = {best(back): "looks one letter back most", best(found): "looks most at what followed last time"}
        yield from self._maps(asked, text, letters, yours, shown)
        self._stage.begin()
        yield self._written(asked, text, letters, without)
        self._stage.begin()
        yield self._effects(asked, without, back, found)
        if in_full:
            yield from self._other_maps(text, yours, shown)

    # --- what the heads do ----------------------------------------------------------------------------------------

    def all_weights(self, asked: Attending, letters: torch.Tensor) -> torch.Tensor:
        """The attention weights (layers, heads, n, n) for one text, read off the learner's own output."""
        seen: list[torch.Tensor] = []

        def attend(layer: int, x: torch.Tensor) -> torch.Tensor:
            seen.append(asked.weights(layer, x[0]))
            return asked.attend(layer, x)

        run(self._model, letters[None], attend, residual=not asked.without.residual)
        return torch.stack(seen)

    def right_weights(self, letters: torch.Tensor) -> torch.Tensor:
        """The same by the formula, with nothing switched off."""
        seen: list[torch.Tensor] = []
        hidden = later(len(letters))

        def attend(layer: int, x: torch.Tensor) -> torch.Tensor:
            seen.append(right_weights(self._layers[layer], x[0], hidden))
            return right_attention(self._layers[layer], x, hidden)

        run(self._model, letters[None], attend)
        return torch.stack(seen)

    def _table(self, back: torch.Tensor, found: torch.Tensor) -> Grid:
        rows = tuple(
            (f"head {layer + 1}.{head + 1}", f"{back[layer, head]:.2f}", f"{found[layer, head]:.2f}")
            for layer in range(len(self._layers))
            for head in range(HEADS)
        )
        return Grid(
            "How much each head (layer.head) looks one letter back in stories, and, in letters by chance that are said "
            "twice, at what followed the same letter last time; 1 is all of it",
            ("", "one letter back", "what followed last time"),
            rows,
        )

    def _maps(
        self,
        asked: Attending,
        text: str,
        letters: torch.Tensor,
        yours: torch.Tensor,
        shown: Mapping[tuple[int, int], str],
    ) -> Iterator[Part]:
        due = self.right_weights(letters)
        yield Words(
            "How to read a map: each row is a letter that asks, each column one that is looked at. "
            "They are read off your class's own output: each letter was given a value of its own."
        )
        if not bool(yours.isfinite().all()):
            yield Words(NO_NUMBERS, "warning")
        for (layer, head), why in shown.items():
            yield heat(f"Head {layer + 1}.{head + 1}: {why}", text, yours[layer, head])
            if not asked.without and not bool((yours[layer, head] - due[layer, head]).abs().amax() < SAME):
                yield Words(f"Head {layer + 1}.{head + 1} should look like this:", "warning")
                formula = heat(f"Head {layer + 1}.{head + 1} by the formula", text, due[layer, head])
                yield replace(formula, by_formula=True)

    def _other_maps(self, text: str, yours: torch.Tensor, shown: Mapping[tuple[int, int], str]) -> Iterator[Part]:
        yield Words("All other heads", "heading")
        for layer in range(len(self._layers)):
            for head in range(HEADS):
                if (layer, head) not in shown:
                    yield heat(f"Head {layer + 1}.{head + 1}", text, yours[layer, head])

    # --- what comes of it -----------------------------------------------------------------------------------------

    def _written(self, asked: Attending, text: str, letters: torch.Tensor, without: Without) -> Written:
        texts = [("your class", self._continued(self._all_on, letters))]
        if without:
            texts.append((f"without {without}", self._continued(asked, letters)))
        return Written("What the model writes, the likeliest letter each time", text, tuple(texts))

    def _continued(self, asked: Attending, letters: torch.Tensor) -> str:
        for _ in range(WRITTEN_LETTERS):
            logits = run(self._model, letters[None], asked.attend, residual=not asked.without.residual)
            letters = torch.cat([letters, logits[0, -1:].argmax(-1)])
        return decode(letters[-WRITTEN_LETTERS:].tolist())

    def losses(self, asked: Attending) -> tuple[float, float]:
        """The loss in nats a letter: on stories, and on the part of repeats that occurred before."""
        texts = measured_texts()
        logits = run(self._model, texts[:, :-1], asked.attend, residual=not asked.without.residual)
        loss = loss_by_letter(logits, texts[:, 1:])
        return loss[:STORIES].mean().item(), loss[STORIES:, KNOWN_FROM:].mean().item()

    def _effects(self, asked: Attending, without: Without, back: torch.Tensor, found: torch.Tensor) -> Grid:
        all_off = [Without(), Without(heads=frozenset({best(back)})), Without(heads=frozenset({best(found)}))]
        all_off += [Without(mask=True), Without(scale=True), Without(residual=True)]
        if without and without not in all_off:
            all_off.append(without)
        rows = []
        for each in all_off:
            story_loss, repeat_loss = self.losses(replace(asked, without=each))
            name = f"without {each}" if each else "all on"
            rows.append(
                (name + (" (now)" if each and each == without else ""), f"{story_loss:.2f}", f"{repeat_loss:.2f}")
            )
        return Grid(
            "How surprised the model is by the next letter (loss in nats; guessing among 26 is 3.26)",
            ("", "in stories", "in letters said twice"),
            tuple(rows),
        )


def read_text(text: str) -> torch.Tensor:
    """The typed text as numbers. Raises BadText."""
    try:
        numbers = encode(text)
    except ValueError as error:
        raise BadText(str(error)) from None
    if not 2 <= len(numbers) <= MOST_LETTERS:
        raise BadText(f"Type 2 to {MOST_LETTERS} letters; these are {len(numbers)}.")
    return torch.tensor(numbers)


def measured(weights_of: Callable[[torch.Tensor], torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """For each layer and head: its attention to the letter before, and to what followed the same letter last time.

    The first is measured in stories, the second in random letters that are repeated.

    weights_of: the attention weights (layers, heads, n, n) for a text.
    """
    chance = random.Random(1)
    back, found = [], []
    for _ in range(MEASURED_STORIES):
        weights = weights_of(torch.tensor(encode(story(chance, MEASURED_LETTERS))))
        back.append(weights.diagonal(-1, 2, 3).mean(-1))
    for period in PERIODS:
        weights = weights_of(torch.tensor(encode(repeat(chance, MEASURED_LETTERS, period))))
        # in the repetition, the letter after the same letter is period - 1 positions back
        found.append(weights.diagonal(-(period - 1), 2, 3)[..., 1:].mean(-1))
    return torch.stack(back).mean(0), torch.stack(found).mean(0)


def measured_texts() -> torch.Tensor:
    """The texts on which losses are measured; no model was trained on them."""
    chance = random.Random(2)
    texts = [story(chance, CONTEXT) for _ in range(STORIES)]
    texts += [repeat(chance, CONTEXT, chance.randint(8, 30)) for _ in range(REPEATS)]
    return torch.tensor([encode(text) for text in texts])


def best(scores: torch.Tensor) -> tuple[int, int]:
    """The layer and head of the largest score; NaN counts as 0."""
    place = int(scores.nan_to_num(0.0).argmax())
    return place // HEADS, place % HEADS


def heat(title: str, text: str, weights: torch.Tensor) -> Heat:
    """The attention weights of one head as a heat map."""
    letters = tuple(text)
    return Heat(title, letters, letters, tuple(tuple(row) for row in weights.tolist()))
