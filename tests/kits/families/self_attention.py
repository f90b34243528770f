"""Checks of `MySelfAttention(hidden_size)`, and of any attention whose sequences must not disturb each other."""

import torch

from grader.judge.authoring import called_again, expect, module, same

ENTRY = "MySelfAttention"


def of(weights, x, dtype=None, train=False):
    """A module with these weights, called with x (batch, tokens, hidden_size)."""
    axes = "batch tokens hidden_size"
    asked = module(ENTRY, x.shape[-1], weights=weights, inputs={"x": x}, dtype=dtype, axes=axes, train=train)
    if train:
        asked.said = "in training"
    return asked


def case(draw, *shape, dtype=torch.float32, train=False):
    """Random weights, and x of this shape."""
    return of(draw.weights(ENTRY, shape[-1]), draw.normal(*shape, dtype=dtype), dtype, train)


def agrees_with_formula(learner, draw, *, is_long=False):
    """Check the formula for all kinds of sizes; `is_long`: for many tokens too."""
    batch, tokens, width = draw.distinct(3, 2, 9)
    reshaped = case(draw, batch, tokens, width)
    reshaped.call(reshaped.module, draw.normal(tokens, batch, width), return_as="second output")
    again = case(draw, batch, tokens, width)
    called_again(again, draw.normal(batch, tokens, width), weights=draw.weights(ENTRY, width))
    learner.agrees(
        case(draw, batch, tokens, width),
        case(draw, tokens, width, batch),
        reshaped,  # the same module once more, on another shape
        again,
        case(draw, width, width, width),  # square: a wrong axis fits here
        case(draw, 1, tokens, width),
        case(draw, batch, 1, width),
        case(draw, batch, tokens, 1),
        # wide enough for a rounded root to show
        *([case(draw, batch, draw.integer(33, 48), draw.integer(5, 8))] if is_long else []),
        case(draw, batch, tokens, width, dtype=torch.float64),
    )


def keeps_sequences_apart(learner, draw):
    """Check that a sequence of the batch is not disturbed by the others."""
    batch, tokens, width = draw.distinct(3, 3, 8)
    weights, x = draw.weights(ENTRY, width), draw.normal(batch, tokens, width)
    others = torch.cat([x[:1], draw.normal(batch - 1, tokens, width)])
    expect_first_sequences_alike(*learner.outputs(of(weights, x), of(weights, others)))


def expect_first_sequences_alike(before, after):
    """Two outputs of batches that differ in all sequences but the first."""
    expect(
        same(before[0], after[0]),
        "The first sequence's output changed although only other sequences did. Look for a softmax or a transpose along the batch axis.",
    )
