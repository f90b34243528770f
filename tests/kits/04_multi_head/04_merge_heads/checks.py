import torch

from grader.judge.authoring import called_again, expect, function, points

AXES = "batch token width"


def case(draw, batch, heads, tokens, head_width, dtype=torch.float32):
    x = draw.normal(batch, heads, tokens, head_width, dtype=dtype)
    return function("merge_heads", x, names=["x"], axes=AXES)


@points(0.5, visible=True)
def test_two_tokens_two_heads(learner):
    """Head 0 holds [0, 1, 2] and [6, 7, 8], head 1 the rest: the tokens are [0 … 5] and [6 … 11] again."""
    x = torch.tensor([[[[0.0, 1, 2], [6, 7, 8]], [[3, 4, 5], [9, 10, 11]]]])
    (merged,) = learner.outputs(function("merge_heads", x, names=["x"], axes=AXES))
    due = torch.arange(12.0).view(1, 2, 6)
    expect(
        torch.equal(merged, due),
        f"merge_heads of {x.tolist()} should be {due.tolist()}; yours is {merged.tolist()}.",
    )


@points(3, role="main")
def test_heads_stand_side_by_side(learner, draw):
    """A token's vector is what head 0 holds for it, then what head 1 holds, and so on."""
    batch, heads, tokens, head_width = draw.distinct(4, 2, 7)
    learner.agrees(
        case(draw, batch, heads, tokens, head_width),
        case(draw, tokens, head_width, batch, heads),
        called_again(case(draw, batch, heads, tokens, head_width), draw.normal(batch, heads, tokens, head_width)),
        case(draw, batch, heads, heads, heads),  # square: axes in another order have the right shape here
        case(draw, heads, heads, heads, heads),
        case(draw, batch, heads, heads, head_width),
        case(draw, batch, 1, tokens, head_width),
        case(draw, batch, heads, tokens, 1),
        case(draw, batch, heads, 1, head_width),
        case(draw, 1, heads, tokens, head_width),
        case(draw, 1, 1, 1, 1),
        case(draw, batch, heads, tokens, head_width, dtype=torch.float64),
    )


@points(1)
def test_gradients_reach_the_input(learner, draw):
    """Gradients flow back to x."""
    batch, heads, tokens, head_width = draw.distinct(4, 2, 6)
    learner.agrees_in_gradients(case(draw, batch, heads, tokens, head_width), case(draw, batch, heads, heads, heads))


@points(0.5, role="manners")
def test_input_is_left_alone(learner, draw):
    """The input x is not changed, not even its shape."""
    learner.keeps_inputs(case(draw, 2, 3, 4, 5), case(draw, 2, 3, 3, 3))
