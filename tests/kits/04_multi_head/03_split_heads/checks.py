import torch

from grader.judge.authoring import called_again, expect, function, points

AXES = "batch head token head_width"


def case(draw, batch, heads, tokens, head_width, dtype=torch.float32):
    x = draw.normal(batch, tokens, heads * head_width, dtype=dtype)
    return function("split_heads", x, heads, names=["x"], axes=AXES)


@points(0.5, visible=True)
def test_two_tokens_two_heads(learner):
    """The tokens [0 … 5] and [6 … 11] give head 0 their first three columns and head 1 the others."""
    x = torch.arange(12.0).view(1, 2, 6)
    (split,) = learner.outputs(function("split_heads", x, 2, names=["x"], axes=AXES))
    due = torch.tensor([[[[0.0, 1, 2], [6, 7, 8]], [[3, 4, 5], [9, 10, 11]]]])
    expect(
        torch.equal(split, due),
        f"split_heads of [[[0, …, 5], [6, …, 11]]] with 2 heads should be {due.tolist()}; yours is {split.tolist()}.",
    )


@points(2.5, role="main")
def test_each_head_gets_its_own_columns(learner, draw):
    """A head holds its own run of neighbouring columns of every token."""
    batch, heads, tokens, head_width = draw.distinct(4, 2, 7)
    learner.agrees(
        case(draw, batch, heads, tokens, head_width),
        case(draw, tokens, head_width, batch, heads),
        called_again(
            case(draw, batch, heads, tokens, head_width), draw.normal(batch, tokens, heads * head_width), heads
        ),
        case(draw, batch, heads, heads, heads),  # square: axes in another order have the right shape here
        case(draw, heads, heads, heads, heads),
        case(draw, batch, 1, tokens, head_width),
        case(draw, batch, heads, tokens, 1),
        case(draw, batch, heads, 1, head_width),
        case(draw, 1, heads, tokens, head_width),
        case(draw, batch, heads, tokens, head_width, dtype=torch.float64),
    )


@points(1)
def test_refuses_an_uneven_split(learner, draw):
    """A width that cannot be shared out evenly among the heads is refused with AssertionError or ValueError."""
    batch, heads, tokens, head_width = draw.distinct(4, 2, 6)
    # an even split must work, so that refusing everything is no answer
    learner.agrees(case(draw, batch, heads, tokens, head_width))
    uneven = heads * head_width + draw.integer(1, heads - 1)
    learner.refuses(
        "split_heads",
        (draw.normal(batch, tokens, uneven), heads),
        (draw.normal(batch, heads, uneven), heads),
        (draw.normal(batch, tokens, heads), heads + 1),
        why="A width that num_heads does not divide",
    )


@points(0.5)
def test_gradients_reach_the_input(learner, draw):
    """Gradients flow back to x."""
    learner.agrees_in_gradients(case(draw, *draw.distinct(4, 2, 6)))


@points(0.5, role="manners")
def test_input_is_left_alone(learner, draw):
    """The input x is not changed."""
    learner.keeps_inputs(case(draw, 2, 3, 4, 5))
