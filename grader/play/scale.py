"""`softmax`, `scaled_scores`, `attention`, `self_attention`: how larger and smaller scores change a trained model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch
import torch.nn.functional as F

from grader.judge.case import Case

from .asking import Attending, self_attention
from .catalogue import Without
from .gaps import CONTEXT
from .nets import Projections, right_attention, run
from .parts import Curve, Grid, Part, Slider, Words, Written
from .scene import AttentionRow, ModelScene, gap_loss, guessed, heat, measured_gaps, read_gaps, step_by_step
from .texts import GAP

FACTORS = (0.125, 0.5, 1.0, 2.0, 8.0)
"""Factors of the queries. With heads 64 wide, leaving out 1/√d is a factor of 8."""


class ScaleScene(ModelScene):
    """A model with one head that guesses hidden letters; the learner's code computes its scores."""

    model, heads = "gaps_1", 1
    example = "rado saw koba. k_b_ lost a lamp."

    def read(self, text: str) -> torch.Tensor:
        """The typed text, with its hidden letters, as numbers. Raises BadText."""
        return read_gaps(text, CONTEXT)

    def shown(self, text: str, letters: torch.Tensor, without: Without, *, in_full: bool) -> Iterator[Part]:
        """One row step by step, where a hidden letter attends with ever larger scores, and what the model guesses."""
        width = len(self._layers[0].query)
        makes = "the weights out of the scores" if self._play.id == "softmax" else "the scores"
        place = int((letters == GAP).nonzero()[0])
        factors = FACTORS if not without.scale else (1.0, width**0.5)
        if not without:
            yield Words(f"Your code makes {makes} of a small model that guesses hidden letters.")
            yield from self._row(text, letters, place)
        yield Words(
            f"Now the queries are multiplied by a number: 1 is as the model was trained, {width**0.5:g} is what 1/√d "
            f"takes away (d is {width} here), so {width**0.5:g} is what you get without the scale."
        )
        rows, texts, losses, sharp, steps = [], [], [], [], []
        for factor in factors:
            self._stage.begin()
            weights = self.weights(factor, letters)
            rows.append(weights[place])
            sharp.append(weights.amax(-1).mean().item())
            name, filled = f"times {factor:g}", guessed(letters, self.logits(factor, letters[None])[0])
            texts.append((name, filled))
            steps.append((name, heat(f"Who looks at whom, scores {name}", text, weights), filled))
            losses.append(self.loss(factor))
        names = tuple(name for name, _, _ in steps)
        yield Words(
            "How to read the map: each row is the first hidden letter with scores of one size, each column a letter "
            "that is looked at. The larger the scores, the more of the weight falls on one."
        )
        looked = heat("Where the hidden letter looks, in the last layer", text, torch.stack(rows))
        yield replace(looked, rows=names)
        yield Written("What the model fills in", "", tuple(texts))
        due = [self.right_loss(factor) for factor in factors]
        yield Grid(
            "The largest weight of a letter, on average, and the loss on other sentences (in nats; guessing is 3.26)",
            ("", "largest weight", "loss", "loss by the formula"),
            tuple((name, f"{sharp[n]:.2f}", f"{losses[n]:.2f}", f"{due[n]:.2f}") for n, name in enumerate(names)),
        )
        yield Slider("The scores, smaller and larger", tuple(steps), factors.index(1.0))
        if in_full:
            places = tuple(float(number) for number in range(len(factors)))
            lines = (("yours", tuple(losses)), ("by the formula", tuple(due)))
            yield Curve(f"Loss, times {factors[0]:g} to times {factors[-1]:g}", "step", "loss", places, lines)

    def _row(self, text: str, letters: torch.Tensor, place: int) -> Iterator[Part]:
        """How the hidden letter's row comes about in the first layer."""
        seen: list[torch.Tensor] = []

        def look(layer: int, x: torch.Tensor) -> torch.Tensor:
            seen.append(x)
            return torch.zeros_like(x)

        run(self._model, letters[None], look)
        weights, x = self._layers[0], seen[0]
        query, key, value = (x[0] @ matrix.T for matrix in (weights.query, weights.key, weights.value))
        row = AttentionRow(place, key @ query[place], weights.head_width**0.5, None, self._weights(1.0, 0, x[0])[place])
        if self._play.id == "self_attention":
            mixed = Attending(self._stage, self_attention("MySelfAttention"), self._layers).mixed(0, x)
            row = replace(row, values=value, mixed=mixed[0, place])
        elif self._play.id == "attention":
            row = replace(row, values=value, mixed=self._output(weights, x, x @ weights.value.T)[0, place])
        yield from step_by_step(text, row)

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
