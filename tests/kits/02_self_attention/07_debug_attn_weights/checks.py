import torch

from grader.judge.authoring import called_again, expect, module, points, same

AXES = "batch tokens hidden_size"


def case(draw, batch, tokens, width, dtype=torch.float32):
    return module(
        "MySelfAttention",
        width,
        weights=draw.weights("MySelfAttention", width),
        inputs={"x": draw.normal(batch, tokens, width, dtype=dtype)},
        dtype=dtype,
        axes=AXES,
    )


@points(0.5, role="manners", visible=True)
def test_documents_example_runs(learner, draw):
    """The document's last lines run: MySelfAttention(64) turns (2, 100, 64) into (2, 100, 64)."""
    learner.outputs(case(draw, 2, 100, 64))


@points(2.5, role="main")
def test_fault_is_gone(learner, draw):
    """The fault is gone: the output is softmax(query · keyᵀ / √D) · value."""
    batch, tokens, width = draw.distinct(3, 2, 9)
    reshaped = case(draw, batch, tokens, width)
    reshaped.call(reshaped.module, draw.normal(tokens, batch, width), return_as="second output")
    again = case(draw, batch, tokens, width)
    called_again(again, draw.normal(batch, tokens, width), weights=draw.weights("MySelfAttention", width))
    learner.agrees(
        case(draw, batch, tokens, width),
        case(draw, tokens, width, batch),
        reshaped,  # the same module once more, on another shape
        again,
        case(draw, width, width, width),  # square: a softmax of the query fits here
        case(draw, 1, tokens, width),
        case(draw, batch, 1, width),
        case(draw, batch, tokens, 1),
        case(draw, batch, tokens, width, dtype=torch.float64),
    )


@points(1)
def test_training_still_works(learner, draw):
    """Nothing else broke: gradients reach x and all three layers."""
    batch, tokens, width = draw.distinct(3, 2, 7)
    learner.agrees_in_gradients(case(draw, batch, tokens, width))


@points(0.25, role="manners")
def test_sequences_are_still_separate(learner, draw):
    """Nothing else broke: a sequence of the batch is not disturbed by the others."""
    batch, tokens, width = draw.distinct(3, 3, 8)
    weights, x = draw.weights("MySelfAttention", width), draw.normal(batch, tokens, width)
    others = torch.cat([x[:1], draw.normal(batch - 1, tokens, width)])
    before, after = learner.outputs(
        *[module("MySelfAttention", width, weights=weights, inputs={"x": each}, axes=AXES) for each in (x, others)]
    )
    expect(
        same(before[0], after[0]),
        "The first sequence's output changed although only other sequences did. Look for a softmax or a transpose along the batch axis.",
    )


@points(0.25, role="manners")
def test_input_is_left_alone(learner, draw):
    """Nothing else broke: the input x is not changed."""
    learner.keeps_inputs(case(draw, 2, 3, 4))


@points(1.5, role="repair")
def test_repair_is_small(learner):
    """The repair is small: at most two lines out and two in."""
    learner.repaired_with(removed=2, added=2)
