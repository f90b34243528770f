"""`softmax`, `scaled_scores`, `attention`, `self_attention`: how larger and smaller scores change a trained model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
import torch.nn.functional as F

from grader.judge.case import Case
from grader.play.catalogue import switched_off
from grader.play.texts import GAP

from ..asking import Attending, self_attention
from ..catalogue import Play
from ..nets import Projections, layers_of, load, projections_of, right_attention, run
from ..parts import Curve, Grid, Heat, Part, Slider, Words, Written
from ..stage import Stage
from .padding import CONTEXT, gap_loss, guessed, measured_gaps, read_gaps

MODEL = "gaps_1"
EXAMPLE = "rado saw koba. k_b_ lost a lamp."
FACTORS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Factors of the queries. With heads 64 wide, leaving out 1/√d is a factor of 8."""


class ScaleScene:
    """A model with one head that guesses hidden letters; the learner's code computes its scores."""

    example = EXAMPLE

    def __init__(self, play: Play, stage: Stage) -> None:
        self._play, self._stage = play, stage
        self._model = load(MODEL)
        self._layers = tuple(projections_of(self._model, each, 1) for each in range(layers_of(self._model)))

    def parts(self, text: str, off: Sequence[str], *, in_full: bool) -> Iterator[Part]:
        """Where a hidden letter attends with ever larger scores, and what the model guesses."""
        without = switched_off(self._play, off, len(self._layers), 1)
        letters = read_gaps(text, CONTEXT)
        width = len(self._layers[0].query)
        makes = "the weights out of the scores" if self._play.id == "softmax" else "the scores"
        yield Words(
            f"Your code makes {makes} of a small model that guesses hidden letters. The queries are multiplied by a "
            f"number: 1 is as the model was trained, {width**0.5:g} is what 1/√d takes away (d is {width} here), so "
            f"{width**0.5:g} is what you get without the scale."
        )
        factors = FACTORS if not without.scale else (1.0, width**0.5)
        rows, texts, losses, sharp, steps = [], [], [], [], []
        for factor in factors:
            self._stage.begin()
            weights = self.weights(factor, letters)
            place = int((letters == GAP).nonzero()[0])
            rows.append(tuple(weights[place].tolist()))
            sharp.append(weights.amax(-1).mean().item())
            name, filled = f"times {factor:g}", guessed(letters, self.logits(factor, letters[None])[0])
            texts.append((name, filled))
            plane = tuple(tuple(row) for row in weights.tolist())
            steps.append((name, Heat(f"Who looks at whom, scores {name}", tuple(text), tuple(text), plane), filled))
            losses.append(self.loss(factor))
        names = tuple(f"times {factor:g}" for factor in factors)
        yield Words(
            "How to read the map: each row is the first hidden letter with scores of one size, each column a letter "
            "that is looked at. The larger the scores, the more of the weight falls on one."
        )
        yield Heat("Where the hidden letter looks, in the last layer", names, tuple(text), tuple(rows))
        yield Written("What the model fills in", "", tuple(texts))
        yield Grid(
            "The largest weight of a letter, on average, and the loss on other sentences (in nats; guessing is 3.26)",
            ("", "largest weight", "loss", "loss by the formula"),
            tuple(
                (name, f"{top:.2f}", f"{loss:.2f}", f"{self.right_loss(factor):.2f}")
                for name, top, loss, factor in zip(names, sharp, losses, factors, strict=True)
            ),
        )
        yield Slider("The scores, smaller and larger", tuple(steps), factors.index(1.0))
        if in_full:
            places = tuple(float(number) for number in range(len(factors)))
            lines = (("yours", tuple(losses)), ("by the formula", tuple(map(self.right_loss, factors))))
            yield Curve(f"Loss, times {factors[0]:g} to times {factors[-1]:g}", "step", "loss", places, lines)

    # --- the learner's code in the model --------------------------------------------------------------------------

    def weights(self, factor: float, letters: torch.Tensor) -> torch.Tensor:
        """The attention weights (n, n) of the last layer for one text."""
        seen: list[torch.Tensor] = []

        def look(layer: int, x: torch.Tensor) -> torch.Tensor:
            if layer == len(self._layers) - 1:
                seen.append(self._weights(factor, layer, x[0]))
                return torch.zeros_like(x)
            return self._attend(factor, layer, x)

        run(self._model, letters[None], look)
        return seen[0]

    def logits(self, factor: float, texts: torch.Tensor) -> torch.Tensor:
        """The model's logits with the learner's code."""
        return run(self._model, texts, lambda layer, x: self._attend(factor, layer, x))

    def loss(self, factor: float) -> float:
        """The loss in nats on hidden letters, in sentences that no model was trained on."""
        texts, is_hidden = measured_gaps()
        return gap_loss(self.logits(factor, texts.masked_fill(is_hidden, GAP)), texts, is_hidden)

    def right_loss(self, factor: float) -> float:
        """The same by the formula."""
        texts, is_hidden = measured_gaps()
        layers = self._scaled(factor)
        logits = run(self._model, texts.masked_fill(is_hidden, GAP), lambda layer, x: right_attention(layers[layer], x))
        return gap_loss(logits, texts, is_hidden)

    def _scaled(self, factor: float) -> tuple[Projections, ...]:
        return tuple(replace(weights, query=weights.query * factor) for weights in self._layers)

    def _attend(self, factor: float, layer: int, x: torch.Tensor) -> torch.Tensor:
        weights = self._scaled(factor)[layer]
        if self._play.id == "self_attention":
            return Attending(self._stage, self_attention("MySelfAttention"), self._scaled(factor)).attend(layer, x)
        value = x @ weights.value.T
        together = self._output(weights, x, value) if self._play.id == "attention" else self._looked(weights, x) @ value
        return F.linear(together, weights.out, weights.out_bias)

    def _weights(self, factor: float, layer: int, x: torch.Tensor) -> torch.Tensor:
        if self._play.id == "self_attention":
            return Attending(self._stage, self_attention("MySelfAttention"), self._scaled(factor)).weights(layer, x)[0]
        return self._looked(self._scaled(factor)[layer], x[None])[0]

    def _looked(self, weights: Projections, x: torch.Tensor) -> torch.Tensor:
        """The attention weights (b, n, n) that follow from what the learner's function returns."""
        b, n, _ = x.shape
        case, query, key = Case(), x @ weights.query.T, x @ weights.key.T
        if self._play.id == "softmax":
            case.call(case.entry("softmax"), query @ key.mT / weights.head_width**0.5, return_as="weights")
            return self._stage.tensors(case, [(b, n, n)], x.dtype)[0]
        if self._play.id == "scaled_scores":
            case.call(case.entry("scaled_scores"), query, key, return_as="scores")
            return self._stage.tensors(case, [(b, n, n)], x.dtype)[0].softmax(-1)
        both = case.call(case.entry("attention"), query, key, x @ weights.value.T)
        case.call(both, 1, method="__getitem__", return_as="p_attn")
        return self._stage.tensors(case, [(b, n, n)], x.dtype)[0]

    def _output(self, weights: Projections, x: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        """The output of `attention`."""
        case = Case()
        both = case.call(case.entry("attention"), x @ weights.query.T, x @ weights.key.T, value)
        case.call(both, 0, method="__getitem__", return_as="output")
        return self._stage.tensors(case, [value.shape], x.dtype)[0]
