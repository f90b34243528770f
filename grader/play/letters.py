"""A model of two layers that reads letters: heads of the learner's class, the learner's window, the learner's cache."""

from __future__ import annotations

import random
import timeit
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import torch

from grader.judge.questions import Case
from grader.sandbox.inside.wire import Slot

from . import nets
from .catalogue import Off, head_off, named
from .parts import Curve, Grid, Part, Words, Written
from .scene import FINDS, LOOKS_BACK, ModelScene, best, continued, head_maps, heat
from .stage import CACHED, Attending, formed

HEADS = 4
PERIODS = (10, 15, 21)
MEASURED_STORIES = 3
MEASURED_LETTERS = 44
STORIES, REPEATS = 6, 6
KNOWN_FROM = 33
"""From this letter on, every letter of a repeat occurred before: its period is at most 32."""
NO_NUMBERS = "Some of what your class puts out is nan, no number. Is there a letter from which everything is hidden?"


class HeadsScene(ModelScene):
    """`causal_attention`, `multi_head_wrapper`, `multi_head_attention`: the learner's class is the attention."""

    model, heads = "letters", HEADS

    def shown(self, text: str, letters: torch.Tensor, off: Off, *, in_full: bool) -> Iterator[Part]:
        """Two heads and what they attend to, what the model writes, and its loss without each part.

        With something switched off: what that changes, before and after.
        """
        asked = replace(self.attending, off=off)
        back, found = measured(lambda each: self._weights(self.attending, each))
        chosen = {best(back): LOOKS_BACK, best(found): FINDS}
        yours = self._weights(asked, letters)
        due = self._weights(self.attending, letters) if off else self.right_weights(letters)
        if not bool(yours.isfinite().all()):
            yield Words(NO_NUMBERS, "warning")
        yield from head_maps(text, chosen, yours, due, off)
        self._stage.begin()
        ways = {"your class": self.attending} | ({f"without {named(off)}": asked} if off else {})
        texts = [(name, continued(letters, partial(self._logits, way))) for name, way in ways.items()]
        yield Written("What the model writes, the likeliest letter each time", text, tuple(texts))
        self._stage.begin()
        tried: list[Off] = [(), off, *((head_off(*head),) for head in chosen), ("mask",), ("scale",), ("residual",)]
        yield Grid.of(
            "How surprised the model is by the next letter (loss in nats; guessing among 26 is 3.26)",
            ("", "in stories", "in random letters, repeated"),
            {
                f"without {named(each)}" if each else "all on": self._losses(replace(asked, off=each))
                for each in dict.fromkeys(tried)
            },
        )
        if off:
            return
        every = [(layer, head) for layer in range(len(self._layers)) for head in range(HEADS)]
        yield Grid.of(
            "How much each head (layer.head) looks one letter back in stories, and, in random letters, repeated, at "
            "what followed the same letter last time; 1 is all of it",
            ("", "one letter back", "what followed last time"),
            {
                f"head {layer + 1}.{head + 1}": [back[layer, head].item(), found[layer, head].item()]
                for layer, head in every
            },
        )
        (layer, head), x = best(back), self.first_input(letters)
        head = head if layer == 0 else 0
        looked, mixed = self.attending.weights(0, x[0])[head, -1], self.attending.mixed(0, x)[0, -1]
        yield Words(f"Head 1.{head + 1}", "heading")
        yield from self.step_by_step(text, x, head, len(letters) - 1, looked, mixed[self._layers[0].places(head)])
        if in_full:
            yield Words("All other heads", "heading")
            for layer, head in every:
                if (layer, head) not in chosen:
                    yield heat(f"Head {layer + 1}.{head + 1}", text, yours[layer, head])

    def _weights(self, asked: Attending, letters: torch.Tensor) -> torch.Tensor:
        """The attention weights (layers, heads, n, n) for one text, read off the learner's own output."""
        inputs = nets.layer_inputs(self._model, letters, asked.attend, residual="residual" not in asked.off)
        return torch.stack([asked.weights(layer, x[0]) for layer, x in enumerate(inputs)])

    def right_weights(self, letters: torch.Tensor) -> torch.Tensor:
        """The same by the formula, with nothing switched off."""
        return nets.weights_by_formula(self._model, self._layers, letters, nets.causal(len(letters)))

    def _logits(self, asked: Attending, texts: torch.Tensor) -> torch.Tensor:
        return nets.run(self._model, texts, asked.attend, residual="residual" not in asked.off)

    def _losses(self, asked: Attending) -> tuple[float, float]:
        """The loss in nats a letter: on new stories, and on the part of repeats that occurred before."""
        chance = random.Random(2)
        said = [nets.story(chance, nets.CONTEXT) for _ in range(STORIES)]
        said += [nets.repeat(chance, nets.CONTEXT, chance.randint(8, 30)) for _ in range(REPEATS)]
        texts = torch.tensor([nets.encode(text) for text in said])
        loss = nets.loss_by_letter(self._logits(asked, texts[:, :-1]), texts[:, 1:])
        return loss[:STORIES].mean().item(), loss[STORIES:, KNOWN_FROM:].mean().item()


def measured(weights_of: Callable[[torch.Tensor], torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """For each layer and head: its attention to the letter before, and to what followed the same letter last time.

    The first is measured in stories, the second in random letters that are repeated.

    weights_of: the attention weights (layers, heads, n, n) for a text.
    """
    chance = random.Random(1)
    stories = [nets.encode(nets.story(chance, MEASURED_LETTERS)) for _ in range(MEASURED_STORIES)]
    back = [weights_of(torch.tensor(each)).diagonal(-1, 2, 3).mean(-1) for each in stories]
    found = []
    for period in PERIODS:
        weights = weights_of(torch.tensor(nets.encode(nets.repeat(chance, MEASURED_LETTERS, period))))
        # in the repetition, the letter after the same letter is period - 1 positions back
        found.append(weights.diagonal(-(period - 1), 2, 3)[..., 1:].mean(-1))
    return torch.stack(back).mean(0), torch.stack(found).mean(0)


# --- a window ---------------------------------------------------------------------------------------------------------

WINDOWS = (2, 4, 8, 12, 16, 24, 32, 48, 64)
WINDOW_PERIODS = (6, 14, 28)
WINDOW_TEXTS = 6
SHOWN_WINDOW = 4
WRITTEN_WINDOWS = (4, 16, 64)


class WindowScene(ModelScene):
    """`sliding_window_mask`: attention by the formula with the learner's mask."""

    model, heads = "letters", HEADS

    def shown(self, text: str, letters: torch.Tensor, off: Off, *, in_full: bool) -> Iterator[Part]:
        """The text written with windows of several sizes, and the loss on letters repeated from far back."""
        seen = (~self._mask(len(letters), SHOWN_WINDOW)).float()
        yield heat(f"What each letter (row) sees, window {SHOWN_WINDOW}", text, seen)
        texts = [(f"window {window}", continued(letters, partial(self._logits, window))) for window in WRITTEN_WINDOWS]
        yield Written("What the model writes", text, tuple(texts))
        lines = tuple(
            (f"repeated after {period} letters", tuple(self._loss(period, window) for window in WINDOWS))
            for period in WINDOW_PERIODS
        )
        title = "How far back it remembers: loss on random letters that are repeated, in nats (guessing is 3.26)"
        yield Curve(title, "window", "loss", tuple(map(float, WINDOWS)), lines)

    def _mask(self, n: int, window: int) -> torch.Tensor:
        """The learner's mask. Raises Stopped if it is not a mask."""
        return self._stage.told("sliding_window_mask", n, window, shape=(n, n), dtype=torch.bool)

    def _logits(self, window: int, texts: torch.Tensor) -> torch.Tensor:
        """The model's logits by the formula with that mask; a letter that sees nothing gets zeros."""
        attend = nets.by_formula(self._layers, nets.masked(self._mask(texts.shape[1], window)))
        return nets.run(self._model, texts, lambda layer, x: attend(layer, x).nan_to_num(0.0))

    def _loss(self, period: int, window: int) -> float:
        """The loss in nats on letters that repeat those `period` letters earlier."""
        chance = random.Random(period)
        texts = torch.tensor([nets.encode(nets.repeat(chance, nets.CONTEXT, period)) for _ in range(WINDOW_TEXTS)])
        return nets.loss_by_letter(self._logits(window, texts[:, :-1]), texts[:, 1:])[:, period:].mean().item()


# --- a cache ----------------------------------------------------------------------------------------------------------

LENGTHS = (32, 64, 128, 256, 512)
REPEATED, TRIES = 4, 3
"""One question asks for one more token REPEATED times, and there are TRIES questions; the shortest time counts."""
SAME_OUTPUT = 1e-4


class CacheScene(ModelScene):
    """`kv_cache`: the attention is the learner's class, run on the whole text at once or letter by letter."""

    model, heads = "letters", HEADS

    def shown(self, text: str, letters: torch.Tensor, off: Off, *, in_full: bool) -> Iterator[Part]:
        """The text written in both ways, and the time for one more token."""
        said = continued(letters, partial(self._logits, step=nets.CONTEXT))
        self._stage.begin()
        whole = torch.cat([letters, torch.tensor(nets.encode(said))])[None]
        at_once, by_letter = (self._logits(whole, step=step) for step in (nets.CONTEXT, 1))
        apart = (by_letter - at_once).abs().amax().item()
        # up to the first difference, a model that writes with a cache writes this
        with_cache = nets.decode(by_letter[0, len(letters) - 1 : -1].argmax(-1).tolist())
        apart_at = next((n for n in range(len(said)) if with_cache[n] != said[n]), len(said))
        with_cache = with_cache[: apart_at + 1]
        yield Written("What the model writes", text, (("without the cache", said), ("with the cache", with_cache)))
        if apart < SAME_OUTPUT and with_cache == said:
            yield Words("The same text: what your class puts out differs by rounding only.")
        else:
            yield Words(
                f"What your class puts out differs by up to {apart:.2g}, so the text ends where it goes another way.",
                "warning",
            )
        no_cache, cached = zip(*(self._milliseconds(length) for length in LENGTHS), strict=True)
        yield Curve(
            "The time for one more token, on this machine just now",
            "tokens so far",
            "milliseconds",
            tuple(map(float, LENGTHS)),
            (("without the cache", no_cache), ("with the cache", cached)),
        )

    def _logits(self, texts: torch.Tensor, *, step: int) -> torch.Tensor:
        """The model's logits for one text: each layer gets so many letters at a time, and the cache of those before."""
        return nets.run(self._model, texts, lambda layer, x: self._output(self._layers[layer], x, step))

    def _output(self, weights: nets.Projections, x: torch.Tensor, step: int) -> torch.Tensor:
        """The output for x (1, n, width), computed `step` tokens at a time; each call gets the last call's cache."""
        case = Case()
        module, cache = CACHED.made(case, weights), None
        for number, piece in enumerate(torch.split(x, step, 1)):
            cache = _fed(case, module, piece.contiguous(), cache, return_as=str(number))
        answers = self._stage.ask(case)[0]
        pieces = [formed(answers[name], (1, min(step, x.shape[1]), x.shape[2])) for name in case.returned.values()]
        return torch.cat(pieces, 1)

    def _milliseconds(self, length: int) -> tuple[float, float]:
        """The time for one more token after a text of this length, without the cache and with it."""
        self._stage.begin()
        x = torch.randn(1, length + 1, len(self._layers[0].query), generator=torch.Generator().manual_seed(1))

        def seconds(tokens: int) -> float:
            """With the last tokens fed REPEATED times: one of them with the cache of those before, all without it."""
            case = Case()
            module = CACHED.made(case, self._layers[0])
            past = _fed(case, module, x[:, :-1].contiguous(), None)
            for _ in range(REPEATED if tokens else 0):
                _fed(case, module, x[:, -tokens:].contiguous(), past if tokens == 1 else None)
            return min(timeit.repeat(partial(self._stage.ask, case), number=1, repeat=TRIES))

        nothing = seconds(0)
        whole, one = (max(0.0, seconds(tokens) - nothing) / REPEATED * 1000 for tokens in (length + 1, 1))
        return whole, one


def _fed(case: Case, module: Slot, piece: torch.Tensor, cache: Slot | None, return_as: str = "") -> Slot:
    """Call the module with some tokens and the cache; returns the new cache."""
    both = case.call(module, piece) if cache is None else case.call(module, piece, cache)
    case.call(both, 0, method="__getitem__", return_as=return_as)
    return case.call(both, 1, method="__getitem__")
