import torch

from grader.judge.authoring import called_again, expect, function, points

AXES = "batch heads tokens head_dim"
NAMES = ["x"]


def case(draw, *shape, n_rep, dtype=torch.float32):
    return function("repeat_kv", draw.normal(*shape, dtype=dtype), n_rep, names=NAMES, axes=AXES)


@points(0.5, visible=True)
def test_two_heads_twice(learner):
    """The heads 10 and 20, each twice, become 10 10 20 20."""
    heads = torch.tensor([10.0, 20.0]).reshape(1, 2, 1, 1)
    (output,) = learner.outputs(function("repeat_kv", heads, 2, names=NAMES, axes=AXES))
    order = [round(value, 2) for value in output.flatten().tolist()]
    expect(
        order == [10, 10, 20, 20],
        f"The heads 10 and 20 with n_rep = 2 should become [10, 10, 20, 20]; yours are {order}.",
    )


@points(2, role="main")
def test_copies_stand_next_to_each_other(learner, draw):
    """Output head i is a copy of head i // n_rep of x."""
    batch, heads, tokens, width = draw.distinct(4, 2, 7)
    n_rep, side = draw.integer(2, 4), draw.integer(2, 4)
    learner.agrees(
        case(draw, batch, heads, tokens, width, n_rep=n_rep),
        case(draw, batch, heads, tokens, width, n_rep=n_rep + 1),
        called_again(
            case(draw, batch, heads, tokens, width, n_rep=n_rep), draw.normal(batch, heads, tokens, width), n_rep
        ),
        case(draw, batch, n_rep, tokens, width, n_rep=n_rep),
        case(draw, side, side, side, side, n_rep=side),  # square: a wrong axis is harder to see here
        case(draw, batch, heads, tokens, width, n_rep=n_rep, dtype=torch.float64),
    )


@points(0.5)
def test_edges(learner, draw):
    """One batch, one token and a width of 1 work, with any number of heads and of copies, 1 included."""
    batch, heads, tokens, width = draw.distinct(4, 2, 6)
    n_rep = draw.integer(2, 4)
    learner.agrees(
        case(draw, batch, heads, tokens, width, n_rep=1),
        case(draw, batch, 1, tokens, width, n_rep=n_rep),
        case(draw, batch, 1, tokens, width, n_rep=1),
        case(draw, 1, heads, 1, width, n_rep=n_rep),
        case(draw, batch, heads, tokens, 1, n_rep=n_rep),
    )


@points(0.5)
def test_gradients_reach_x(learner, draw):
    """Each head of x receives the gradients of all its copies."""
    batch, heads, tokens, width = draw.distinct(4, 2, 6)
    learner.agrees_in_gradients(case(draw, batch, heads, tokens, width, n_rep=draw.integer(2, 4)))


@points(0.5, role="manners")
def test_input_is_left_alone(learner, draw):
    """The input x is not changed."""
    learner.keeps_inputs(case(draw, 2, 3, 4, 5, n_rep=2), case(draw, 2, 3, 4, 5, n_rep=1))
