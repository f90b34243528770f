"""Checks of dropout on the attention weights. They ask through `case(dropout=, train=)`."""

import math

import torch

from grader.judge.authoring import OUTPUT, expect, same

TOKENS = 6
"""The length of the texts in which each weight is looked at by itself."""
SIGMAS = 6.5
SHARED = (
    ((1,), "All heads drop the same weights."),
    ((0,), "All sequences of a batch drop the same weights."),
    ((2, 3), "All weights of one head and sequence are dropped at once, or none."),
    ((2,), "Whole keys are dropped: all queries of a sequence lose the same keys."),
    ((3,), "Whole rows are dropped: a query loses all of its keys, or none."),
)
"""(axes of (batch, heads, queries, keys), what a check says if weights along them are always dropped together)."""


def drops_in_training_only(learner, case):
    """Check that with p = 1 nothing is left in training, and everything in eval()."""
    learner.agrees(case(dropout=1.0), case(dropout=1.0, train=True), case(dropout=0.0, train=True))
    learner.agrees(case(dropout=0.5), case(dropout=0.1))


def telling_input(batch, width):
    """An input (batch, TOKENS, width) for `telling_weights`: token j is j + 1 in columns 2j and 2j + 1, 0 elsewhere."""
    tokens = torch.eye(2 * TOKENS, width).reshape(TOKENS, 2, width).sum(dim=1) * torch.arange(1, TOKENS + 1)[:, None]
    return tokens.repeat(batch, 1, 1)


def telling_weights(weights, value, last="out_proj"):
    """Weights with which all scores are 0; columns 2j and 2j + 1 of a head both hold j + 1 times token j's weight.

    A head is 2 * TOKENS wide; the layer `last`, if there is one, changes nothing.
    """
    told = {name: torch.zeros_like(tensor) for name, tensor in weights.items()}
    for name, tensor in told.items():
        if name.endswith(f"{last}.weight"):
            told[name] = torch.eye(len(tensor))
        elif name.endswith(f"{value}.weight"):
            told[name] = torch.eye(2 * TOKENS, tensor.shape[1]).repeat(len(tensor) // (2 * TOKENS), 1)
    return told


def drops_single_weights(learner, case, *, heads=1, p=0.25):
    """Check each weight by itself; the case uses `telling_input` and `telling_weights`.

    A right answer fails with a probability below 1e-9: the share of the dropped may be off by SIGMAS, and hundreds of
    weights agree along an axis, or in two calls, only when they share their random numbers.
    """
    still, first, second = case(dropout=0.0), case(dropout=p, train=True), case(dropout=p, train=True)
    second.seed = first.seed  # so that its first call is as the other's, and its second call is the next
    second.keeps_to_itself(second.output)
    second.output = second.call(second.module, *second.inputs.values(), return_as=OUTPUT)
    still.said = "in eval(); mend this first, then look at the dropout"
    learner.agrees(still)
    undropped, once, again = (
        output.reshape(-1, TOKENS, heads, TOKENS, 2).transpose(1, 2) for output in learner.outputs(still, first, second)
    )
    expect(not same(once, undropped), f"In training with dropout = {p:g} nothing is dropped.")
    expect(
        same(once[..., 0], once[..., 1]),
        "The columns of one head were not dropped together. Dropout belongs on the weights, not on the input, the "
        "values or the output.",
    )
    undropped, once, again = undropped[..., 0], once[..., 0], again[..., 0]
    visible, kept = undropped > 1 / (2 * TOKENS), once > undropped / 2
    expect(
        same(once, undropped * kept / (1 - p)),
        "In training a weight should be either 0 or divided by 1 - p. Apply dropout once, with p = `dropout`, after "
        "the softmax, and normalise nothing after it.",
    )
    expect(
        not same(again, once),
        "Two calls of one module in training drop the same weights. Draw anew in every call: not once in __init__, "
        "and not after setting a seed.",
    )
    for axes, what in SHARED:
        alike = (kept | ~visible).all(axes) | ~(kept & visible).any(axes)
        expect(
            not alike.all() or all(kept.shape[axis] == 1 for axis in axes),
            f"{what} Each single weight is dropped or kept by itself.",
        )
    share = float(kept[visible].double().mean())
    expect(
        abs(share - (1 - p)) < SIGMAS * math.sqrt(p * (1 - p) / int(visible.sum())),
        "The wrong share of the weights is dropped. `dropout` is the probability to drop a weight, not to keep it.",
    )
