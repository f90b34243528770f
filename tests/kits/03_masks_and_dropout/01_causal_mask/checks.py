import torch

from grader.judge.authoring import expect, function, points

AXES = "query key"


def case(num_tokens):
    return function("causal_mask", num_tokens, axes=AXES)


@points(0.5, visible=True)
def test_four_tokens(learner):
    """The mask of four tokens hides the six places above the diagonal."""
    (mask,) = learner.outputs(case(4))
    due = torch.tensor([[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]])
    expect(
        torch.equal(mask.int(), due.int()),
        f"With 1 for True (hidden), causal_mask(4) should be {due.tolist()}; yours is {mask.int().tolist()}.",
    )


@points(3, role="main")
def test_hides_exactly_the_later_tokens(learner, draw):
    """For any number of tokens, a query's row is True at the keys that come after it, and nowhere else."""
    # the last one is longer than a mask kept ready or the positions of an int8 reach
    learner.agrees(case(2), *[case(size) for size in draw.distinct(4, 3, 16)], case(draw.integer(129, 134)))


@points(0.5, role="manners")
def test_one_token_sees_itself(learner):
    """A single token has a 1 x 1 mask that hides nothing."""
    learner.agrees(case(1))
