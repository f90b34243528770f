"""Attention in which the hidden places are loud: a score far above every visible one, and a huge value.

With minus infinity they weigh nothing all the same. Something too weak in its place (-100, say) lets the value through.
Scores stay within ±60, where a plain exp is finite. In float32 they lie less far apart than in float64, so that whoever
sets hidden weights to 0 after the softmax and divides by what is left is right, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch

from .case import OUTPUT, Case
from .compare import same
from .draw import Draw
from .failure import expect
from .learner import Learner

LEAST_WIDTH = 3
VISIBLE = -55.0
LOUD = ((torch.float32, 20.0), (torch.float64, 55.0))
"""The dtype, and the score of what is hidden."""
HUGE = 1e30
QUIET = 0.1
FAR = 100.0

LOW = -60.0
HIGH = {torch.float32: 20.0, torch.float64: 50.0}
HUGE_VALUE = 1e18
"""Where a check's own weights make the scores: what visible tokens score, what the hidden one scores, and its value; in
float32 a plain exp of the score times the value is still a number."""


@dataclass(frozen=True)
class LoudInput:
    """The same input twice, which differs in the values of the hidden tokens only."""

    dtype: torch.dtype
    before: torch.Tensor
    after: torch.Tensor

    def __iter__(self) -> Iterator[torch.Tensor]:
        return iter((self.before, self.after))


def loud_inputs(draw: Draw, batch: int, tokens: int, width: int, hidden: int = 1) -> list[LoudInput]:
    """Inputs (batch, tokens, width) in which the last tokens are the loud ones. Column 1 is a token's score."""
    assert width >= LEAST_WIDTH
    found = []
    for dtype, loud in LOUD:
        x = draw.normal(batch, tokens, width, scale=QUIET, dtype=dtype)
        x[..., 0], x[..., 1], x[..., 2] = 1.0, VISIBLE, 0.0
        x[:, -hidden:, 1] = loud
        after = x.clone()
        after[:, -hidden:, 2] = HUGE
        found.append(LoudInput(dtype, x, after))
    return found


def loud_weights(
    weights: Mapping[str, torch.Tensor], query: str, key: str, value: str, head_dim: int
) -> dict[str, torch.Tensor]:
    """Weights with which column 1 of the input is a key's score, whoever asks; column 2 is read by the values alone."""
    changed = {name: tensor.clone() for name, tensor in weights.items()}
    for name, columns in ((query, (1.0, 0.0, 0.0)), (key, (0.0, head_dim**-0.5, 0.0)), (value, (0.0, 0.0, 1.0))):
        matrix = changed[f"{name}.weight"]
        matrix *= 0.0 if name == query else QUIET
        matrix[:, :LEAST_WIDTH] = torch.tensor(columns)
        if f"{name}.bias" in changed:
            changed[f"{name}.bias"].zero_()
    return changed


def cut_off(case: Case) -> Case:
    """Tell the output with all that is far from 0 cut off: one huge row leaves the others to be looked at."""
    assert case.output is not None
    del case.told[case.output.number]
    case.steps[case.output.number]["tell"] = False
    case.output = case.call(case.library_module("Hardtanh", -FAR, FAR), case.output, tell=OUTPUT)
    return case


def ends_loudly(x: torch.Tensor, high: float) -> tuple[torch.Tensor, torch.Tensor]:
    """A text for weights that read LOW times column 1 as a key's score and column 2 as its value: the last token scores
    `high`, all others LOW; its value is 0, and in the second text huge."""
    before = x.clone()
    before[..., 0], before[..., 1], before[..., 2] = 1.0, 1.0, 0.0
    before[:, -1, 1] = high / LOW
    after = before.clone()
    after[:, -1, 2] = HUGE_VALUE
    return before, after


def hides_the_last_token(learner: Learner, before: Case, after: Case) -> None:
    """The cases differ in nothing but the value of their last token, which is loud: no output before it may change."""
    one, other = learner.outputs(cut_off(before), cut_off(after))
    expect(
        same(other[:, :-1], one[:, :-1]),
        "A later token whose score is far above the others, and whose value is huge, still comes through to earlier "
        "ones. What is filled in for hidden scores must be far below every score, best of all minus infinity.",
    )
