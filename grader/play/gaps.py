"""A model that guesses hidden letters: with a padding mask, and with ever fewer heads of keys and values."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import torch
import torch.nn.functional as F

from grader.judge.case import Case

from .asking import CLASSES, Attending, Class, state_of
from .catalogue import Play, Without
from .nets import Attend, Projections, by_formula, run
from .parts import Curve, Grid, Part, Words, Written
from .scene import GAPS_CONTEXT, GapsScene, gap_loss, guessed, heat, read_text
from .stage import Stage, Stopped, formed
from .texts import GAP, HIDDEN, encode, known_name, story

HEADS = 8
PADDING = 10
PAD, PAD_SIGN = 0, "-"
EXAMPLE = "rosa met luka. luka gave r_s_ a drum."


class PaddingScene(GapsScene):
    """`padded_multi_head_attention`: the attention is the learner's class."""

    model, heads, example = "gaps_8", HEADS, EXAMPLE

    def __init__(self, play: Play, stage: Stage) -> None:
        super().__init__(play, stage)
        self._asked = Attending(stage, CLASSES[play.id], self._layers)

    def read(self, text: str) -> torch.Tensor:
        """The typed text as numbers, short enough for padding behind it. Raises KataError."""
        return read_text(text, GAPS_CONTEXT - PADDING, gaps=True)

    def shown(self, text: str, letters: torch.Tensor, without: Without, *, in_full: bool) -> Iterator[Part]:
        """The guesses and the attention weights, in four ways."""
        yield Words(
            f"Your class is the attention of a small model that guesses hidden letters ({HIDDEN}). The same sentence "
            f"is shown alone, and with {PADDING} letters of padding behind it, as in a batch with a longer one."
        )
        filled = tuple((way, guessed(letters, self.logits(way, letters[None])[0])) for way in WAYS)
        yield Written("What the model fills in", "", filled)
        yield Grid(
            "How surprised the model is by the hidden letters of other sentences (loss in nats; guessing is 3.26)",
            ("", "loss"),
            tuple((way, f"{gap_loss(partial(self.logits, way)):.2f}") for way in WAYS),
        )
        yield Words(
            "How to read a map: each row is a letter that asks, each column one that is looked at, all heads of the "
            f"first layer together; {PAD_SIGN} is padding. They are read off your class's own output."
        )
        for way in WAYS[1:3]:  # a third map would make the page too large
            padded, *mask = put(way, letters[None])
            seen = self._asked.weights(0, self.first_input(padded[0])[0], *mask).mean(0)
            yield heat(f"What is looked at: {way}", text + PAD_SIGN * PADDING, seen, high=0.5)

    def logits(self, way: str, texts: torch.Tensor) -> torch.Tensor:
        """The model's logits for texts (b, n) with the learner's class, in one of the four ways."""
        padded, *mask = put(way, texts)
        return run(self._model, padded, lambda layer, x: self._asked.attend(layer, x, *mask))


WAYS = ("alone", "padded, mask right", "padded, mask inverted", "padded, no mask")


def put(way: str, texts: torch.Tensor) -> list[torch.Tensor]:
    """Texts (b, n) in one of the four ways: padded (b, n + PADDING) or not, and their mask if there is one."""
    if way == "alone":
        return [texts]
    padded = F.pad(texts, (0, PADDING), value=PAD)
    real = (torch.arange(padded.shape[1]) < texts.shape[1]).long().repeat(len(texts), 1)
    masks = {"padded, mask right": [real], "padded, mask inverted": [1 - real]}
    return [padded, *masks.get(way, [])]


# --- fewer heads of keys and values ------------------------------------------------------------------------------

SHARED = (8, 4, 2, 1)
BYTES = 2
"""Bytes of one number in a cache (16-bit floats, as models are served)."""
TOKENS = 1000
UPTRAINED_STEPS, BATCH, RATE, SHARE_HIDDEN = 60, 24, 4e-3, 0.15
"""How a converted model is trained on: a little, as in the paper."""


class GroupedScene(GapsScene):
    """`grouped_query_attention`, `convert_to_gqa`: the model with ever fewer heads of keys and values."""

    model, heads, example = "gaps_8", HEADS, EXAMPLE

    def shown(self, text: str, letters: torch.Tensor, without: Without, *, in_full: bool) -> Iterator[Part]:
        """Guessed letters, loss and size of the cache, by the number of heads; mean-pooled, and trained on briefly."""
        converts = self._play.id == "convert_to_gqa"
        yield Words(
            "A small model with 8 heads of keys and values was trained to guess hidden letters. "
            + (
                "Your function makes 4, 2 and 1 of them, by averages; then they are trained on briefly."
                if converts
                else "Your class runs it with 8, and with 4, 2 and 1 averages of them."
            )
        )
        texts, losses, trained = [], [], []
        for shared in SHARED:
            self._stage.begin()
            after = attend = self.attend(shared)
            texts.append((f"heads: {shared}", guessed(letters, run(self._model, letters[None], attend)[0])))
            losses.append(self.loss(attend))
            if converts and shared < HEADS:
                after = by_formula(self.uptrained(shared))
                said = guessed(letters, run(self._model, letters[None], after)[0])
                texts.append((f"heads: {shared}, trained on", said))
            trained.append(self.loss(after) if after is not attend else losses[-1])
        yield Written("What the model fills in", "", tuple(texts))
        due = [self.loss(self.right_attend(shared)) for shared in SHARED]
        sizes = [cache_kib(len(self._layers), shared, self._layers[0].head_width) for shared in SHARED]
        lines = {"mean-pooled": losses, "trained on": trained} if converts else {"loss": losses}
        first, *more = lines.items()
        columns = dict([first, ("by the formula", due), *more])
        across = "heads of keys and values"
        yield Grid(
            f"Loss on hidden letters of other sentences, in nats (guessing is 3.26), and the cache of {TOKENS} tokens",
            (across, *columns, "cache in KiB"),
            tuple(
                (str(shared), *(f"{column[row]:.2f}" for column in columns.values()), f"{sizes[row]:.1f}")
                for row, shared in enumerate(SHARED)
            ),
        )
        places = tuple(float(shared) for shared in reversed(SHARED))
        drawn = tuple((name, tuple(reversed(line))) for name, line in lines.items())
        yield Curve("Fewer heads cost", across, "loss", places, drawn)
        yield Curve("Fewer heads save", across, "KiB", places, (("cache", tuple(reversed(sizes))),))
        yield Words(
            "Averages alone cost much in a model this small, whose heads do different things. "
            f"{UPTRAINED_STEPS} steps of training repair most of it, as in the paper with a large model."
            if converts
            else "Averages are not trained on here. `kata play convert_to_gqa` shows what training on repairs."
        )

    def attend(self, shared: int) -> Attend:
        """Attention with `shared` heads of keys and values, by the learner's code. Raises Stopped."""
        if self._play.id == "grouped_query_attention":
            return Attending(self._stage, grouped(shared), self._layers).attend
        return by_formula([spread(*self._converted(weights, shared)) for weights in self._layers])

    def right_attend(self, shared: int) -> Attend:
        """The same by the formula."""
        return by_formula([spread(weights, *averaged(weights, shared)) for weights in self._layers])

    def uptrained(self, shared: int) -> list[Projections]:
        """The learner's converted weights after a few steps of training by the formula; shared heads stay shared."""
        chance = random.Random(5)
        own = [
            [weights.query.clone(), key.clone(), value.clone(), weights.out.clone()]
            for weights, key, value in (self._converted(weights, shared) for weights in self._layers)
        ]
        optimizer = torch.optim.Adam([matrix.requires_grad_() for each in own for matrix in each], lr=RATE)

        def now() -> list[Projections]:
            return [
                spread(replace(layer, query=query, out=out), key, value)
                for layer, (query, key, value, out) in zip(self._layers, own, strict=True)
            ]

        for _ in range(UPTRAINED_STEPS):
            stories = [story(chance, GAPS_CONTEXT - PADDING, known_name) for _ in range(BATCH)]
            texts = torch.tensor([encode(each) for each in stories])
            is_hidden = torch.tensor([[chance.random() < SHARE_HIDDEN for _ in row] for row in texts])
            logits = run(self._model, texts.masked_fill(is_hidden, GAP), by_formula(now()))
            optimizer.zero_grad()
            torch.autograd.backward(F.cross_entropy(logits[is_hidden], texts[is_hidden]))
            optimizer.step()
        with torch.no_grad():
            return now()

    def _converted(self, weights: Projections, shared: int) -> tuple[Projections, torch.Tensor, torch.Tensor]:
        """A layer, and its keys and values as the learner's function converts them.

        Raises Stopped if the result is no set of weights.
        """
        case, state = Case(), state_of(weights)
        given = {name: case.tensor(tensor) for name, tensor in state.items()}
        case.call(case.entry("convert_to_gqa"), given, HEADS, shared, return_as="state")
        came = self._stage.ask(case)[0]["state"]
        if not isinstance(came, dict) or came.keys() != state.keys():
            raise Stopped("Your function should return a dict with the names that it was given.")
        width, fewer = len(weights.query), shared * weights.head_width
        formed(came["q_proj.weight"], (width, width))
        key, value = (formed(came[f"{part}_proj.weight"], (fewer, width)) for part in "kv")
        return weights, key, value


def averaged(weights: Projections, shared: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The matrices of keys and values with each group of heads replaced by its average."""
    width = len(weights.query)
    key, value = (
        matrix.view(shared, weights.heads // shared, weights.head_width, width).mean(1).reshape(-1, width)
        for matrix in (weights.key, weights.value)
    )
    return key, value


def spread(weights: Projections, *fewer: torch.Tensor) -> Projections:
    """Weights in which each head of these keys and values is repeated for its whole group."""
    key, value = (
        matrix.view(-1, weights.head_width, len(weights.query))
        .repeat_interleave(len(weights.query) // len(matrix), 0)
        .flatten(0, 1)
        for matrix in fewer
    )
    return replace(weights, key=key, value=value)


def grouped(shared: int) -> Class:
    """`GroupQueryAttention(hidden_dim, nums_head, nums_key_value_head)`."""

    def state(weights: Projections) -> dict[str, torch.Tensor]:
        key, value = averaged(weights, shared)
        return state_of(replace(weights, key=key, value=value))

    return Class("GroupQueryAttention", lambda w: (len(w.query), w.heads, shared), state)


def cache_kib(layers: int, shared: int, head_width: int) -> float:
    """The cache size of TOKENS tokens, in KiB."""
    return 2 * layers * shared * head_width * TOKENS * BYTES / 1024
