"""Loud cases: the hidden places have a score far above every visible one, and a huge value. For checks.

Masked with minus infinity they still get no weight. Anything weaker (-100, say) lets the value through. Scores stay within
±60, where a plain exp is finite. In float32 they are closer together than in float64, so that it is also right to set
hidden weights to 0 after the softmax and divide by the sum of the rest.
"""

import torch

from grader.judge.authoring import OUTPUT, expect, same

LEAST_WIDTH = 3
VISIBLE = -55.0
LOUD = ((torch.float32, 20.0), (torch.float64, 55.0))
"""(dtype, score of the hidden places)."""
HUGE = 1e30
QUIET = 0.1
FAR = 100.0

LOW = -60.0
HIGH = {torch.float32: 20.0, torch.float64: 50.0}
HUGE_VALUE = 1e18
"""For checks whose own weights make the scores: the visible tokens' score (LOW), the hidden one's (HIGH), and its
value; in float32 a plain exp of the score times the value is still finite."""


def _loud(x, score, loud, value, hidden=1):
    """An input (batch, tokens, width) twice, with these scores in column 1; the last tokens' value, column 2, is 0 or huge."""
    before = x.clone()
    before[..., 0], before[..., 1], before[..., 2] = 1.0, score, 0.0
    before[:, -hidden:, 1] = loud
    after = before.clone()
    after[:, -hidden:, 2] = value
    return before, after


def loud_inputs(draw, batch, tokens, width, hidden=1):
    """Pairs of inputs (batch, tokens, width) of each dtype that differ only in the last tokens' value. Column 1 is the score."""
    assert width >= LEAST_WIDTH
    drawn = [(draw.normal(batch, tokens, width, scale=QUIET, dtype=dtype), loud) for dtype, loud in LOUD]
    return [_loud(x, VISIBLE, loud, HUGE, hidden) for x, loud in drawn]


def ends_loudly(x, high):
    """A text for weights that read LOW times column 1 as a key's score and column 2 as its value: the last token scores
    `high`, all others LOW; its value is 0, and in the second text huge.
    """
    return _loud(x, 1.0, high / LOW, HUGE_VALUE)


def loud_weights(weights, query, key, value, head_dim):
    """Weights with which column 1 of the input is a key's score for every query, and only values read column 2."""
    changed = {name: tensor.clone() for name, tensor in weights.items()}
    for name, columns in ((query, (1.0, 0.0, 0.0)), (key, (0.0, head_dim**-0.5, 0.0)), (value, (0.0, 0.0, 1.0))):
        matrix = changed[f"{name}.weight"]
        matrix *= 0.0 if name == query else QUIET
        matrix[:, :LEAST_WIDTH] = torch.tensor(columns)
        if f"{name}.bias" in changed:
            changed[f"{name}.bias"].zero_()
    return changed


def cut_off(case):
    """Return the output clamped to ±FAR: one huge row must not hide errors in the others."""
    case.keeps_to_itself(case.output)
    case.output = case.call(case.library_module("Hardtanh", -FAR, FAR), case.output, return_as=OUTPUT)
    return case


def hides_the_last_token(learner, before, after):
    """Check that no earlier output changes with the last token's value, a loud one: the cases differ only in that."""
    one, other = learner.outputs(cut_off(before), cut_off(after))
    expect(
        same(other[:, :-1], one[:, :-1]),
        "A later token whose score is far above the others, and whose value is huge, still comes through to earlier "
        "ones. Is it hidden from all of them, before the softmax? What is filled in must be far below every score: "
        "best of all minus infinity.",
    )
