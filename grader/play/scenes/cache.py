"""`kv_cache`: the same text with and without the cache, and the time for one more token."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import torch

from grader.judge.case import Case
from grader.play.catalogue import switched_off
from grader.play.texts import CONTEXT, decode
from grader.sandbox.inside.wire import Slot

from ..asking import state_of
from ..catalogue import Play
from ..nets import Attend, Projections, layers_of, load, projections_of, run
from ..parts import Curve, Part, Words, Written
from ..stage import Stage, formed
from .heads import EXAMPLE, HEADS, MODEL, read_text

WRITTEN_LETTERS = 16
LENGTHS = (32, 64, 128, 256, 512)
REPEATED, TRIES = 4, 3
"""One question asks for one more token REPEATED times, and there are TRIES questions; the shortest time counts."""
SAME = 1e-4


class CacheScene:
    """A letter model whose attention is the learner's class, run on the whole text at once or letter by letter."""

    example = EXAMPLE

    def __init__(self, play: Play, stage: Stage) -> None:
        self._play, self._stage = play, stage
        self._model = load(MODEL)
        self._layers = tuple(projections_of(self._model, each, HEADS) for each in range(layers_of(self._model)))

    def parts(self, text: str, off: Sequence[str], *, in_full: bool) -> Iterator[Part]:
        """The text written in both ways, and the time for one more token."""
        switched_off(self._play, off, len(self._layers), HEADS)
        letters = read_text(text)
        self._stage.begin()
        yield Words(
            "Your class is the attention in both layers of a small model that reads letters. Without the cache the "
            "whole text passes through it for every letter that is written; with it, that one letter."
        )
        whole = self.continued(letters)
        self._stage.begin()
        with_cache, apart = self.by_letter(whole, len(letters))
        said = decode(whole[len(letters) :].tolist())
        yield Written("What the model writes", text, (("without the cache", said), ("with the cache", with_cache)))
        if apart < SAME and with_cache == said:
            yield Words("The same text: what your class puts out differs by rounding only.")
        else:
            yield Words(
                f"What your class puts out differs by up to {apart:.2g}, so the text ends where it goes another way.",
                "warning",
            )
        without, with_it = zip(*(self._seconds(length) for length in LENGTHS), strict=True)
        yield Curve(
            "The time for one more token, on this machine just now",
            "tokens so far",
            "milliseconds",
            tuple(map(float, LENGTHS)),
            (("without the cache", tuple(without)), ("with the cache", tuple(with_it))),
        )

    # --- text -----------------------------------------------------------------------------------------------------

    def continued(self, letters: torch.Tensor) -> torch.Tensor:
        """The text and its continuation, computed without a cache: the whole text runs for each new letter."""
        for _ in range(min(WRITTEN_LETTERS, CONTEXT - len(letters))):
            logits = run(self._model, letters[None], self._attend(by_letter=False))
            letters = torch.cat([letters, logits[0, -1:].argmax(-1)])
        return letters

    def by_letter(self, whole: torch.Tensor, begun: int) -> tuple[str, float]:
        """The text written with the cache, up to the first difference, and the largest difference of the logits.

        Each layer gets the text one letter at a time with its cache. Up to the first difference, this is what a model
        that writes with a cache writes.
        """
        logits = run(self._model, whole[None], self._attend(by_letter=True))
        in_one = run(self._model, whole[None], self._attend(by_letter=False))
        written = logits[0, begun - 1 : -1].argmax(-1).tolist()
        due = whole[begun:].tolist()
        same = next((number for number, pair in enumerate(zip(written, due, strict=True)) if pair[0] != pair[1]), None)
        apart = (logits - in_one).abs().amax().item()
        return decode(written[: None if same is None else same + 1]), apart

    def _attend(self, *, by_letter: bool) -> Attend:
        return lambda layer, x: self._output(self._layers[layer], x, 1 if by_letter else x.shape[1])

    def _output(self, weights: Projections, x: torch.Tensor, step: int) -> torch.Tensor:
        """The output for x (1, n, width), computed `step` tokens at a time; each call gets the last call's cache."""
        case = Case()
        module, cache = _module(case, weights), None
        for number, piece in enumerate(torch.split(x, step, 1)):
            cache = _fed(case, module, piece.contiguous(), cache, return_as=str(number))
        answers = self._stage.ask(case)[0]
        pieces = [formed(answers[name], (1, min(step, x.shape[1]), x.shape[2])) for name in case.returned.values()]
        return torch.cat(pieces, 1)

    # --- time -----------------------------------------------------------------------------------------------------

    def _seconds(self, length: int) -> tuple[float, float]:
        """Milliseconds for one more token after a text of this length, without the cache and with it."""
        self._stage.begin()
        x = torch.randn(1, length + 1, len(self._layers[0].query), generator=torch.Generator().manual_seed(1))
        nothing, whole, cached = Case(), Case(), Case()
        for case in (nothing, whole, cached):
            module = _module(case, self._layers[0])
            past = _fed(case, module, x[:, :-1].contiguous(), None)
            for _ in range(REPEATED):
                if case is whole:
                    _fed(case, module, x, None)
                elif case is cached:
                    _fed(case, module, x[:, -1:].contiguous(), past)
        base, one, other = (min(self._timed(case) for _ in range(TRIES)) for case in (nothing, whole, cached))
        return max(0.0, one - base) / REPEATED * 1000, max(0.0, other - base) / REPEATED * 1000

    def _timed(self, case: Case) -> float:
        began = time.perf_counter()
        self._stage.ask(case)
        return time.perf_counter() - began


def _module(case: Case, weights: Projections) -> Slot:
    module = case.call(case.entry("CachedAttention"), len(weights.query), weights.heads)
    case.load(module, state_of(weights) | {"o_proj.bias": weights.out_bias})
    case.prepare(module)
    return module


def _fed(case: Case, module: Slot, piece: torch.Tensor, cache: Slot | None, return_as: str = "") -> Slot:
    """Call the module with some tokens and the cache; returns the new cache."""
    both = case.call(module, piece) if cache is None else case.call(module, piece, cache)
    case.call(both, 0, method="__getitem__", return_as=return_as)
    return case.call(both, 1, method="__getitem__")
