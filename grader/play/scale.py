"""`softmax`, `scaled_scores`, `attention`, `self_attention`: how larger and smaller scores change a trained model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch
import torch.nn.functional as F

from grader.judge.case import Case

from .asking import CLASSES, Attending
from .catalogue import Without
from .nets import Attend, Projections, by_formula, layer_inputs, run
from .parts import Curve, Grid, Part, Slider, Words, Written
from .scene import AttentionRow, GapsScene, guessed, heat, step_by_step
from .texts import GAP

FACTORS = (0.125, 0.5, 1.0, 2.0, 8.0)
"""Factors of the queries. With heads 64 wide, leaving out 1/√d is a factor of 8."""


class ScaleScene(GapsScene):
    """A model with one head that guesses hidden letters; the learner's code computes its scores."""

    model, heads = "gaps_1", 1
    example = "sam saw luka. l_k_ lost a lamp."

    def shown(self, text: str, letters: torch.Tensor, without: Without, *, in_full: bool) -> Iterator[Part]:
        """One row step by step, where a hidden letter attends with ever larger scores, and what the model guesses."""
        width = len(self._layers[0].query)
        place = int((letters == GAP).nonzero()[0])
        factors = FACTORS if not without.scale else (1.0, width**0.5)
        if not without:
            makes = "the weights out of the scores" if self._play.id == "softmax" else "the scores"
            yield Words(f"Your code makes {makes} of a small model that guesses hidden letters.")
            yield from step_by_step(text, self._row(letters, place))
        yield Words(
            f"Now the queries are multiplied by a number: 1 is as the model was trained, {width**0.5:g} is what 1/√d "
            f"takes away (d is {width} here), so {width**0.5:g} is what you get without the scale."
        )
        yield Words(
            "How to read the map: each row is the first hidden letter with scores of one size, each column a letter "
            "that is looked at. The larger the scores, the more of the weight falls on one."
        )
        names = tuple(f"times {factor:g}" for factor in factors)
        weights = [self.weights(factor, letters) for factor in factors]
        looked = heat(
            "Where the hidden letter looks, in the last layer", text, torch.stack([w[place] for w in weights])
        )
        yield replace(looked, rows=names)
        texts, losses = [], []
        for factor in factors:
            self._stage.begin()
            attend = self.attend(factor)
            texts.append(guessed(letters, run(self._model, letters[None], attend)[0]))
            losses.append(self.loss(attend))
        yield Written("What the model fills in", "", tuple(zip(names, texts, strict=True)))
        due = [self.loss(self.right_attend(factor)) for factor in factors]
        sharp = [each.amax(-1).mean().item() for each in weights]
        yield Grid(
            "The largest weight of a letter, on average, and the loss on other sentences (in nats; guessing is 3.26)",
            ("", "largest weight", "loss", "loss by the formula"),
            tuple((name, f"{sharp[n]:.2f}", f"{losses[n]:.2f}", f"{due[n]:.2f}") for n, name in enumerate(names)),
        )
        maps = [
            heat(f"Who looks at whom, scores {name}", text, each) for name, each in zip(names, weights, strict=True)
        ]
        steps = tuple(zip(names, maps, texts, strict=True))
        yield Slider("The scores, smaller and larger", steps, factors.index(1.0))
        if in_full:
            places = tuple(float(number) for number in range(len(factors)))
            lines = (("yours", tuple(losses)), ("by the formula", tuple(due)))
            yield Curve(f"Loss, times {factors[0]:g} to times {factors[-1]:g}", "step", "loss", places, lines)

    def _row(self, letters: torch.Tensor, place: int) -> AttentionRow:
        """How the hidden letter's row comes about in the first layer."""
        weights, x = self._layers[0], self.first_input(letters)
        query, key, value = (x[0] @ matrix.T for matrix in (weights.query, weights.key, weights.value))
        row = AttentionRow(place, key @ query[place], weights.head_width**0.5, None, self._looked(weights, x)[0, place])
        if self._play.id == "self_attention":
            mixed = self._class(weights).mixed(0, x)
        elif self._play.id == "attention":
            mixed = self._called(weights, x, "attention", (x.shape))
        else:
            return row
        return replace(row, values=value, mixed=mixed[0, place])

    # --- the learner's code in the model --------------------------------------------------------------------------

    def weights(self, factor: float, letters: torch.Tensor) -> torch.Tensor:
        """The attention weights (n, n) of the last layer for one text."""
        *_, last = layer_inputs(self._model, letters, self.attend(factor))
        return self._looked(scaled(self._layers[-1], factor), last)[0]

    def attend(self, factor: float) -> Attend:
        """The learner's code as attention, with queries multiplied by a factor. Raises Stopped."""

        def attend(layer: int, x: torch.Tensor) -> torch.Tensor:
            weights = scaled(self._layers[layer], factor)
            if self._play.id == "self_attention":
                return self._class(weights).attend(0, x)
            if self._play.id == "attention":
                mixed = self._called(weights, x, "attention", x.shape)
            else:
                mixed = self._looked(weights, x) @ (x @ weights.value.T)
            return F.linear(mixed, weights.out, weights.out_bias)

        return attend

    def right_attend(self, factor: float) -> Attend:
        """The same by the formula."""
        return by_formula([scaled(each, factor) for each in self._layers])

    def _class(self, weights: Projections) -> Attending:
        return Attending(self._stage, CLASSES["self_attention"], (weights,))

    def _looked(self, weights: Projections, x: torch.Tensor) -> torch.Tensor:
        """The attention weights (b, n, n) that follow from what the learner's code returns; of a class, for b = 1."""
        if self._play.id == "self_attention":
            return self._class(weights).weights(0, x[0])
        b, n, _ = x.shape
        told = self._called(weights, x, self._play.id, (b, n, n), part=1)
        return told.softmax(-1) if self._play.id == "scaled_scores" else told

    def _called(
        self, weights: Projections, x: torch.Tensor, entry: str, shape: tuple[int, ...], part: int = 0
    ) -> torch.Tensor:
        """What the learner's function returns for x; part: of `attention`, which returns output and weights."""
        case, query, key = Case(), x @ weights.query.T, x @ weights.key.T
        if entry == "softmax":
            case.call(case.entry(entry), query @ key.mT / weights.head_width**0.5, return_as="told")
        elif entry == "scaled_scores":
            case.call(case.entry(entry), query, key, return_as="told")
        else:
            both = case.call(case.entry(entry), query, key, x @ weights.value.T)
            case.call(both, part, method="__getitem__", return_as="told")
        return self._stage.tensors(case, [shape], x.dtype)[0]


def scaled(weights: Projections, factor: float) -> Projections:
    """The weights with queries multiplied by a factor."""
    return replace(weights, query=weights.query * factor)
