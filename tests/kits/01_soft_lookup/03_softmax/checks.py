import torch

from grader.judge.authoring import called_again, expect, function, points


def case(scores, *dim, axes="rows columns", **keywords):
    return function("softmax", scores, *dim, names=["scores"], axes=axes, **keywords)


def six_places(numbers):
    return [round(number, 6) for number in numbers.tolist()]


@points(0.5, visible=True)
def test_shiny_example(learner):
    """The scores of "shiny" become the document's weights .2291 .4063 .3646."""
    (weights,) = learner.outputs(case(torch.tensor([0.7842, 1.3569, 1.2487]), axes="tokens"))
    due = torch.tensor([0.229134, 0.406265, 0.364602])
    expect(
        torch.allclose(weights, due, atol=1e-5),
        f"softmax([.7842, 1.3569, 1.2487]) should be {six_places(due)}; yours is {six_places(weights)}.",
    )


@points(1.5, role="main")
def test_agrees_with_formula(learner, draw):
    """Along the last axis each weight is exp(score) divided by the sum of the exps."""
    rows, columns, depth, groups = draw.distinct(4, 2, 9)
    learner.agrees(
        case(draw.normal(rows, columns, scale=2)),
        called_again(case(draw.normal(rows, columns, scale=2)), draw.normal(rows, columns, scale=2)),
        case(draw.normal(columns, rows, scale=2)),
        case(draw.normal(depth, rows, columns, scale=2), axes="batch rows columns"),
        case(draw.normal(groups, depth, rows, columns, scale=2), axes="batch heads rows columns"),
        case(draw.normal(columns, columns, scale=2)),
        case(draw.normal(columns, scale=2), axes="columns"),
        case(draw.normal(1, columns, scale=2)),
        case(draw.normal(rows, 1)),
        case(draw.normal(rows, columns, dtype=torch.float64)),
    )


@points(1, role="main")
def test_dim_chooses_the_axis(learner, draw):
    """`dim` says along which axis the weights sum to 1, counted from the front or from the back."""
    shape = draw.distinct(3, 2, 7)
    size = draw.integer(3, 6)
    learner.agrees(
        *[case(draw.normal(*shape), dim=dim, axes="batch rows columns") for dim in (0, 1, 2, -1, -2, -3)],
        # square: here a forgotten keepdim broadcasts without an error
        *[case(draw.normal(size, size), dim=dim) for dim in (0, 1)],
        case(draw.normal(size), dim=0, axes="columns"),
        case(draw.normal(*shape), 1, axes="batch rows columns"),
    )


@points(1, role="main")
def test_large_scores_stay_finite(learner, draw):
    """Scores of ±1000 give finite weights, each row by itself."""
    rows, columns = draw.distinct(2, 3, 8)
    high = draw.uniform(rows, columns, low=996, high=1000)
    low = draw.uniform(rows, columns, low=-1000, high=-996)
    # one row a thousand below the other: a maximum over everything turns it into 0/0
    apart = torch.stack([high[0], low[0]])
    # within one row: all the weight goes to the high scores, the low ones get a zero
    mixed = torch.cat([high, low], dim=1)
    # far enough apart that only the largest of a row is safe to subtract
    spread = torch.cat([torch.full((rows, 1), -65.0), draw.normal(rows, columns), torch.full((rows, 1), 65.0)], dim=1)
    learner.agrees(
        *[case(scores) for scores in (high, low, apart, mixed, spread)],
        *[case(scores.T.contiguous(), dim=0, axes="columns rows") for scores in (apart, mixed)],
        case(high.double()),
        case(spread[0], axes="columns"),
        magnitude=1000,
    )


@points(0.5)
def test_gradients_reach_the_scores(learner, draw):
    """Gradients flow back to the scores."""
    rows, columns = draw.distinct(2, 2, 7)
    learner.agrees_in_gradients(
        case(draw.normal(rows, columns)),
        case(draw.normal(rows, columns), dim=0),
        case(draw.normal(columns), axes="columns"),
    )


@points(0.5, role="manners")
def test_scores_are_left_alone(learner, draw):
    """The scores that were passed in are not changed."""
    learner.keeps_inputs(case(draw.normal(3, 4)), case(draw.normal(2, 3, 4), dim=1), case(draw.normal(3)))
