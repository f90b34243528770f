"""`grouped_query_attention`, `convert_to_gqa`: one trained model with 8, 4, 2 and 1 heads of keys and values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import torch

from grader.judge.case import Case
from grader.play.catalogue import switched_off
from grader.play.texts import GAP
from grader.sandbox.inside.wire import Slot

from ..asking import Attending, Class, called, state_of
from ..catalogue import Play
from ..nets import Attend, Projections, layers_of, load, projections_of, right_attention, run
from ..parts import Curve, Grid, Part, Words, Written
from ..stage import Stage, Stopped, formed
from .padding import CONTEXT, EXAMPLE, HEADS, MODEL, gap_loss, guessed, measured_gaps, read_gaps

SHARED = (8, 4, 2, 1)
BYTES = 2
"""Bytes of one number in a cache (16-bit floats, as models are served)."""
TOKENS = 1000


class GroupedScene:
    """A model that guesses hidden letters, with ever fewer heads of keys and values."""

    example = EXAMPLE

    def __init__(self, play: Play, stage: Stage) -> None:
        self._play, self._stage = play, stage
        self._model = load(MODEL)
        self._layers = tuple(projections_of(self._model, each, HEADS) for each in range(layers_of(self._model)))

    def parts(self, text: str, off: Sequence[str], *, in_full: bool) -> Iterator[Part]:
        """Guessed letters, loss and size of the cache, by the number of heads."""
        switched_off(self._play, off, len(self._layers), HEADS)
        letters = read_gaps(text, CONTEXT)
        converts = self._play.id == "convert_to_gqa"
        yield Words(
            "A small model with 8 heads of keys and values was trained to guess hidden letters. "
            + (
                "Your function makes 4, 2 and 1 of them."
                if converts
                else "Your class runs it with 8, and with 4, 2 and 1 averages of them."
            )
        )
        texts, losses = [], []
        for shared in SHARED:
            self._stage.begin()
            attend = self.attend(shared)
            texts.append((f"heads: {shared}", guessed(letters, run(self._model, letters[None], attend)[0])))
            losses.append(self.loss(attend))
        yield Written("What the model fills in", "", tuple(texts))
        sizes = [cache_kib(len(self._layers), shared, self._layers[0].head_width) for shared in SHARED]
        rows = zip(SHARED, losses, [self.loss(self.right_attend(shared)) for shared in SHARED], sizes, strict=True)
        yield Grid(
            f"Loss on hidden letters of other sentences, in nats, and the cache of {TOKENS} tokens",
            ("heads of keys and values", "loss", "loss by the formula", "cache in KiB"),
            tuple((str(shared), f"{loss:.2f}", f"{due:.2f}", f"{size:.1f}") for shared, loss, due, size in rows),
        )
        places = tuple(float(shared) for shared in reversed(SHARED))
        across = "heads of keys and values"
        yield Curve("Fewer heads cost", across, "loss", places, (("loss", tuple(reversed(losses))),))
        yield Curve("Fewer heads save", across, "KiB", places, (("cache", tuple(reversed(sizes))),))
        yield Words("In the paper a converted model is trained on for a little while. Here nothing is trained on.")

    def attend(self, shared: int) -> Attend:
        """Attention with `shared` heads of keys and values, by the learner's code. Raises Stopped."""
        if self._play.id == "grouped_query_attention":
            return Attending(self._stage, grouped(shared), self._layers).attend
        return by_formula([self._converted(weights, shared) for weights in self._layers])

    def right_attend(self, shared: int) -> Attend:
        """The same by the formula."""
        return by_formula([spread(weights, averaged(weights, shared), shared) for weights in self._layers])

    def loss(self, attend: Attend) -> float:
        """The loss in nats on hidden letters, in sentences that no model was trained on."""
        texts, is_hidden = measured_gaps()
        return gap_loss(run(self._model, texts.masked_fill(is_hidden, GAP), attend), texts, is_hidden)

    def _converted(self, weights: Projections, shared: int) -> Projections:
        """The weights as the learner's function converts them. Raises Stopped if the result is no set of weights."""
        case, state = Case(), state_of(weights)
        given = {name: case.tensor(tensor) for name, tensor in state.items()}
        case.call(case.entry("convert_to_gqa"), given, HEADS, shared, return_as="state")
        came = self._stage.ask(case)[0]["state"]
        if not isinstance(came, dict) or came.keys() != state.keys():
            raise Stopped("Your function should return a dict with the names that it was given.")
        width, fewer = len(weights.query), shared * weights.head_width
        formed(came["q_proj.weight"], (width, width))
        key, value = (formed(came[f"{part}_proj.weight"], (fewer, width)) for part in "kv")
        return spread(weights, (key, value), shared)


def averaged(weights: Projections, shared: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The matrices of keys and values with each group of heads replaced by its average."""
    width = len(weights.query)
    key, value = (
        matrix.view(shared, weights.heads // shared, weights.head_width, width).mean(1).reshape(-1, width)
        for matrix in (weights.key, weights.value)
    )
    return key, value


def spread(weights: Projections, fewer: tuple[torch.Tensor, torch.Tensor], shared: int) -> Projections:
    """Weights in which each shared head is repeated for its whole group."""
    times = weights.heads // shared
    key, value = (
        matrix.view(shared, weights.head_width, -1).repeat_interleave(times, 0).flatten(0, 1) for matrix in fewer
    )
    return replace(weights, key=key, value=value)


def by_formula(layers: Sequence[Projections]) -> Attend:
    """Attention by the formula with these weights."""
    return lambda layer, x: right_attention(layers[layer], x)


def grouped(shared: int) -> Class:
    """`GroupQueryAttention(hidden_dim, nums_head, nums_key_value_head)`."""

    def make(case: Case, weights: Projections, x: torch.Tensor) -> list[Slot]:
        key, value = averaged(weights, shared)
        named: Mapping[str, torch.Tensor] = state_of(replace(weights, key=key, value=value)) | {
            "o_proj.bias": weights.out_bias
        }
        init = (len(weights.query), weights.heads, shared)
        return [called(case, "GroupQueryAttention", init, named, x)]

    return Class(make, has_out=True)


def cache_kib(layers: int, shared: int, head_width: int) -> float:
    """The cache size of TOKENS tokens, in KiB."""
    return 2 * layers * shared * head_width * TOKENS * BYTES / 1024
