import torch
from families.self_attention import expect_first_sequences_alike

from grader.judge.authoring import called_again, expect, module, points, same

ENTRY = "SelfAttention_v2"
BATCH_AXES, SEQUENCE_AXES = "batch tokens d_out", "tokens d_out"


def case(draw, *leading, d_in, d_out, dtype=torch.float32, train=False, **keywords):
    return module(
        ENTRY,
        d_in,
        d_out,
        weights=draw.weights(ENTRY, d_in, d_out, **keywords),
        inputs={"x": draw.normal(*leading, d_in, dtype=dtype)},
        dtype=dtype,
        train=train,
        axes=BATCH_AXES if len(leading) == 2 else SEQUENCE_AXES,
        **keywords,
    )


@points(0.5, role="manners", visible=True)
def test_documents_sizes_run(learner, draw):
    """SelfAttention_v2(3, 2) turns (6, 3) into (6, 2), and a batch of two such sequences into (2, 6, 2)."""
    learner.outputs(case(draw, 6, d_in=3, d_out=2), case(draw, 2, 6, d_in=3, d_out=2))


@points(1.5, role="main")
def test_fault_is_gone(learner, draw):
    """The fault is gone: in a batch, each sequence gives softmax(queries · keysᵀ / √d_out) · values."""
    batch, tokens, d_in, d_out = draw.distinct(4, 2, 9)
    again = case(draw, batch, tokens, d_in=d_in, d_out=d_out)
    called_again(again, draw.normal(batch, tokens, d_in), weights=draw.weights(ENTRY, d_in, d_out))
    learner.agrees(
        case(draw, batch, tokens, d_in=d_in, d_out=d_out),
        again,
        case(draw, tokens, batch, d_in=d_out, d_out=d_in),
        case(draw, batch, tokens, d_in=d_in, d_out=d_in),
        case(draw, 1, tokens, d_in=d_in, d_out=d_out),
        case(draw, batch, 1, d_in=d_in, d_out=d_out),
        case(draw, batch, tokens, d_in=d_in, d_out=1),
        case(draw, batch, tokens, d_in=d_in, d_out=d_out, qkv_bias=True),
        case(draw, batch, tokens, d_in=d_in, d_out=d_out, dtype=torch.float64),
    )
    in_training = case(draw, batch, tokens, d_in=d_in, d_out=d_out, train=True)
    in_training.said = "in training"
    learner.agrees(in_training)


@points(0.5, role="main")
def test_sizes_that_hide_it(learner, draw):
    """The fault is gone: the numbers are right too where a wrong transpose fits and raises no error."""
    batch, width, d_in = draw.distinct(3, 2, 7)
    learner.agrees(
        case(draw, width, width, d_in=d_in, d_out=width),
        case(draw, width, width, d_in=width, d_out=width),
        case(draw, width, width, d_in=d_in, d_out=width, qkv_bias=True),
        case(draw, batch, width, d_in=d_in, d_out=width),
        case(draw, batch, batch, d_in=d_in, d_out=width),
        case(draw, width, batch, d_in=d_in, d_out=width),
    )


@points(1, role="manners")
def test_one_sequence_still_works(learner, draw):
    """Nothing else broke: one sequence without a batch, (n, d_in), still works."""
    tokens, d_in, d_out = draw.distinct(3, 2, 9)
    twice = case(draw, tokens, d_in=d_in, d_out=d_out)
    twice.call(twice.module, draw.normal(d_out, tokens, d_in), return_as="second output")  # after it, a batch
    learner.agrees(
        case(draw, tokens, d_in=d_in, d_out=d_out),
        case(draw, d_out, d_in=d_in, d_out=d_out),
        case(draw, d_out, d_in=d_out, d_out=d_out, qkv_bias=True),
        case(draw, 1, d_in=d_in, d_out=d_out),
        case(draw, tokens, d_in=d_in, d_out=1),
        case(draw, tokens, d_in=d_in, d_out=d_out, dtype=torch.float64),
        twice,
    )


@points(0.5)
def test_training_still_works(learner, draw):
    """Nothing else broke: gradients reach x and all three layers."""
    batch, tokens, d_in, d_out = draw.distinct(4, 2, 7)
    learner.agrees_in_gradients(
        case(draw, batch, tokens, d_in=d_in, d_out=d_out),
        case(draw, batch, tokens, d_in=d_in, d_out=d_out, qkv_bias=True),
        case(draw, tokens, d_in=d_in, d_out=d_out),
    )


@points(0.25, role="manners")
def test_sequences_are_separate(learner, draw):
    """Nothing else broke: a sequence of the batch is not disturbed by the others, and alone it gives the same."""
    batch, tokens, d_in, d_out = draw.distinct(4, 3, 8)
    weights, x = draw.weights(ENTRY, d_in, d_out), draw.normal(batch, tokens, d_in)
    others = torch.cat([x[:1], draw.normal(batch - 1, tokens, d_in)])
    before, after, alone = learner.outputs(
        *[
            module(ENTRY, d_in, d_out, weights=weights, inputs={"x": each}, axes=axes)
            for each, axes in ((x, BATCH_AXES), (others, BATCH_AXES), (x[0], SEQUENCE_AXES))
        ]
    )
    expect_first_sequences_alike(before, after)
    expect(
        same(alone, before[0]),
        "One sequence alone gives another output than the same sequence in a batch. Both should give the same.",
    )


@points(0.25, role="manners")
def test_input_is_left_alone(learner, draw):
    """Nothing else broke: the input x is not changed."""
    learner.keeps_inputs(case(draw, 2, 3, d_in=4, d_out=5), case(draw, 3, d_in=4, d_out=5))


@points(1.5, role="repair")
def test_repair_is_small(learner):
    """The repair is small: at most two lines out and two in."""
    learner.repaired_with(removed=2, added=2)
