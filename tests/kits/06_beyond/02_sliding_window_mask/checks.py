import torch

from grader.judge.authoring import expect, function, points

AXES = "query key"


def case(num_tokens, window):
    return function("sliding_window_mask", num_tokens, window, axes=AXES)


@points(0.5, visible=True)
def test_five_tokens_that_see_two(learner):
    """With five tokens and a window of 2, each token sees itself and the one before it."""
    (mask,) = learner.outputs(case(5, 2))
    due = torch.tensor([[0, 1, 1, 1, 1], [0, 0, 1, 1, 1], [1, 0, 0, 1, 1], [1, 1, 0, 0, 1], [1, 1, 1, 0, 0]])
    expect(
        torch.equal(mask.int(), due.int()),
        f"With 1 for True (hidden), sliding_window_mask(5, 2) should be {due.tolist()}; yours is {mask.int().tolist()}.",
    )


@points(2, role="main")
def test_sees_itself_and_the_window_minus_one_before(learner, draw):
    """Token i sees the tokens i - window + 1 to i and no others, for any number of tokens and any window."""
    sizes = draw.distinct(4, 5, 14)
    learner.agrees(
        *[case(size, draw.integer(2, size - 2)) for size in sizes], case(3, 2), case(150, draw.integer(70, 100))
    )


@points(1)
def test_narrow_and_wide_windows(learner, draw):
    """A window of 1 leaves each token itself; one of n or more tokens leaves every earlier token visible."""
    size, other = draw.distinct(2, 4, 12)
    learner.agrees(
        case(size, 1),
        case(other, other - 1),
        case(size, size),
        case(other, other + 1),
        case(size, size + draw.integer(2, 20)),
    )


@points(0.5, role="manners")
def test_one_token_sees_itself(learner, draw):
    """A single token has a 1 x 1 mask that hides nothing, whatever the window."""
    learner.agrees(case(1, 1), case(1, draw.integer(2, 6)))
