"""A model that guesses hidden letters: with a padding mask, and with ever fewer heads of keys and values."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import torch
import torch.nn.functional as F

from grader.judge.case import Case
from grader.sandbox.inside.wire import Slot

from .asking import Attending, Class, called, projected, state_of
from .catalogue import Play, Without
from .nets import Attend, Projections, right_attention, run
from .parts import Curve, Grid, Heat, Part, Words, Written
from .scene import ModelScene, gap_loss, guessed, heat, measured_gaps, read_gaps
from .stage import Stage, Stopped, formed
from .texts import GAP, HIDDEN, encode_with_gaps, story

HEADS = 8
CONTEXT = 48
PADDING = 10
PAD, PAD_SIGN = 0, "-"

Mask = torch.Tensor | None


class GapsScene(ModelScene):
    """A scene in the model that guesses hidden letters."""

    model, heads = "gaps_8", HEADS
    example = "rado met zaru. zaru gave r_d_ a drum."

    def read(self, text: str) -> torch.Tensor:
        """The typed text, with its hidden letters, as numbers. Raises BadText."""
        return read_gaps(text, CONTEXT)

    def loss(self, attend: Attend) -> float:
        """The loss in nats on hidden letters, in sentences that no model was trained on."""
        texts, is_hidden = measured_gaps()
        return gap_loss(run(self._model, texts.masked_fill(is_hidden, GAP), attend), texts, is_hidden)


class PaddingScene(GapsScene):
    """`padded_multi_head_attention`: the attention is the learner's class."""

    def __init__(self, play: Play, stage: Stage) -> None:
        super().__init__(play, stage)
        self._asked = Attending(stage, projected("MultiHeadAttention", 0.0), self._layers)

    def read(self, text: str) -> torch.Tensor:
        """The same, short enough for padding behind it. Raises BadText."""
        return read_gaps(text, CONTEXT - PADDING)

    def shown(self, text: str, letters: torch.Tensor, without: Without, *, in_full: bool) -> Iterator[Part]:
        """The guesses and the attention weights, in four ways."""
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
        shown_text = text + PAD_SIGN * (len(shown) - len(text))
        return heat(f"What is looked at: {name}", shown_text, seen[0].mean(0), high=0.5)

    def _surprise(self) -> Grid:
        names = ("alone", "padded, mask right", "padded, mask inverted", "padded, no mask")
        return Grid(
            "How surprised the model is by the hidden letters of other sentences (loss in nats; guessing is 3.26)",
            ("", "loss"),
            tuple((name, f"{self.loss_padded(name):.2f}") for name in names),
        )

    def loss_padded(self, way: str) -> float:
        """The same loss with the learner's class, in one of the four ways."""
        texts, is_hidden = measured_gaps()
        shown = texts.masked_fill(is_hidden, GAP)
        alone, mask = self._ways(shown[0])[way]
        padded = torch.cat([shown, torch.full((len(shown), len(alone) - shown.shape[1]), PAD)], dim=1)
        masks = None if mask is None else mask.expand(len(shown), -1).contiguous()
        return gap_loss(run(self._model, padded, self.attend(masks)), texts, is_hidden)


# --- fewer heads of keys and values ------------------------------------------------------------------------------

SHARED = (8, 4, 2, 1)
BYTES = 2
"""Bytes of one number in a cache (16-bit floats, as models are served)."""
TOKENS = 1000
UPTRAINED_STEPS, BATCH, RATE, SHARE_HIDDEN = 60, 24, 4e-3, 0.15
"""How a converted model is trained on: a little, as in the paper."""


class GroupedScene(GapsScene):
    """`grouped_query_attention`, `convert_to_gqa`: the model with ever fewer heads of keys and values."""

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
            attend = self.attend(shared)
            texts.append((f"heads: {shared}", guessed(letters, run(self._model, letters[None], attend)[0])))
            losses.append(self.loss(attend))
            if converts and shared < HEADS:
                after = by_formula(self.uptrained(shared))
                said = guessed(letters, run(self._model, letters[None], after)[0])
                texts.append((f"heads: {shared}, trained on", said))
                trained.append(self.loss(after))
            elif converts:
                trained.append(losses[-1])
        yield Written("What the model fills in", "", tuple(texts))
        due = [self.loss(self.right_attend(shared)) for shared in SHARED]
        sizes = [cache_kib(len(self._layers), shared, self._layers[0].head_width) for shared in SHARED]
        columns = {"mean-pooled" if converts else "loss": losses, "by the formula": due}
        columns |= {"trained on": trained} if converts else {}
        yield Grid(
            f"Loss on hidden letters of other sentences, in nats (guessing is 3.26), and the cache of {TOKENS} tokens",
            ("heads of keys and values", *columns, "cache in KiB"),
            tuple(
                (str(shared), *(f"{column[row]:.2f}" for column in columns.values()), f"{sizes[row]:.1f}")
                for row, shared in enumerate(SHARED)
            ),
        )
        places = tuple(float(shared) for shared in reversed(SHARED))
        across = "heads of keys and values"
        lines = {"mean-pooled": losses, "trained on": trained} if converts else {"loss": losses}
        drawn = tuple((name, tuple(reversed(line))) for name, line in lines.items())
        yield Curve("Fewer heads cost", across, "loss", places, drawn)
        yield Curve("Fewer heads save", across, "KiB", places, (("cache", tuple(reversed(sizes))),))
        if converts:
            yield Words(
                "Averages alone cost much in a model this small, whose heads do different things. "
                f"{UPTRAINED_STEPS} steps of training repair most of it, as in the paper with a large model."
            )
        else:
            yield Words("Averages are not trained on here. `kata play convert_to_gqa` shows what training on repairs.")

    def uptrained(self, shared: int) -> list[Projections]:
        """The learner's converted weights after a few steps of training by the formula; shared heads stay shared."""
        chance, rows = random.Random(5), torch.arange(len(self._layers[0].query)).view(HEADS, -1)[:: HEADS // shared]
        layers = [self._converted(weights, shared) for weights in self._layers]
        own = [
            [each.query.clone(), each.key[rows.flatten()], each.value[rows.flatten()], each.out.clone()]
            for each in layers
        ]
        optimizer = torch.optim.Adam([matrix.requires_grad_() for each in own for matrix in each], lr=RATE)

        def now() -> list[Projections]:
            return [
                spread(replace(layer, query=query, out=out), (key, value), shared)
                for layer, (query, key, value, out) in zip(layers, own, strict=True)
            ]

        for _ in range(UPTRAINED_STEPS):
            texts = torch.tensor([encode_with_gaps(story(chance, CONTEXT - PADDING)) for _ in range(BATCH)])
            is_hidden = torch.tensor([[chance.random() < SHARE_HIDDEN for _ in row] for row in texts])
            logits = run(self._model, texts.masked_fill(is_hidden, GAP), by_formula(now()))
            optimizer.zero_grad()
            torch.autograd.backward(F.cross_entropy(logits[is_hidden], texts[is_hidden]))
            optimizer.step()
        with torch.no_grad():
            return now()

    def attend(self, shared: int) -> Attend:
        """Attention with `shared` heads of keys and values, by the learner's code. Raises Stopped."""
        if self._play.id == "grouped_query_attention":
            return Attending(self._stage, grouped(shared), self._layers).attend
        return by_formula([self._converted(weights, shared) for weights in self._layers])

    def right_attend(self, shared: int) -> Attend:
        """The same by the formula."""
        return by_formula([spread(weights, averaged(weights, shared), shared) for weights in self._layers])

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
