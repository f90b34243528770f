import torch

from grader.judge.authoring import Case, called_again, expect, function, points


def case(weights, values):
    axes = " ".join(["width"] * (values.dim() - 1))
    return function("soft_lookup", weights, values, names=["weights", "values"], axes=axes)


def away_from_zero(weights, values):
    """The same question with a result of size 1 or more: next to 0, rounding would decide what is right."""
    result = weights @ values
    direction = torch.where(result < 0, -1.0, 1.0).to(weights.dtype) / (weights @ weights)
    return weights, values + (weights * direction if values.dim() == 1 else weights[:, None] * direction)


def pair(draw, keys, *width, dtype=torch.float32):
    """Weights of both signs, with any sum."""
    return away_from_zero(draw.normal(keys, dtype=dtype), draw.normal(keys, *width, scale=3, dtype=dtype))


def shares(draw, keys, *width):
    """Weights as a softmax makes them: positive, 1 in all."""
    return away_from_zero(draw.normal(keys).softmax(0), draw.normal(keys, *width, scale=3))


def gives_tensors(learner):
    """A plain number is told apart here, by a sentence without the number in it."""
    (answer,) = learner.ask(case(torch.ones(2), torch.ones(2)))
    expect(
        not isinstance(answer["output"], (int, float)),
        "For values of shape (n,) a plain Python number came back; a tensor of shape () was due. Leave .item() out.",
    )


def number_as_a_row(weights, values):
    """The question for plain numbers, its result () laid out as (1,): gradients are asked of an axis at least."""
    asked = Case()
    handed_in = asked.tensor(weights, name="weights"), asked.tensor(values, name="values")
    result = asked.call(asked.entry("soft_lookup"), *handed_in)
    asked.output = asked.call(result, -1, method="reshape", return_as="output")
    return asked


@points(0.5, visible=True)
def test_fruit_example(learner):
    """Asked for "fruit", the dictionary weighs apple .6, banana .4 and chair 0, so 10, 5 and 2 become 8."""
    (result,) = learner.outputs(case(torch.tensor([0.6, 0.4, 0.0]), torch.tensor([10.0, 5.0, 2.0])))
    expect(
        torch.allclose(result, torch.tensor(8.0), atol=1e-4),
        f"Weights .6 .4 0 on the values 10 5 2 should give 8; yours gives {round(result.item(), 4)}.",
    )


@points(1, role="main")
def test_agrees_with_formula(learner, draw):
    """Each value times its weight, all added up: numbers give a number, vectors give a vector."""
    gives_tensors(learner)
    keys, width, more = draw.distinct(3, 2, 9)
    size = draw.integer(3, 6)
    learner.agrees(
        case(*shares(draw, keys)),
        case(*shares(draw, keys, width)),
        called_again(case(*shares(draw, keys, width)), *shares(draw, keys, width)),
        case(*shares(draw, more)),
        case(*shares(draw, width, keys)),
        # square: a wrong axis fits here
        case(*shares(draw, size, size)),
        case(*shares(draw, keys, 1)),
    )


@points(0.75, role="main")
def test_weights_are_taken_as_they_come(learner, draw):
    """Weights may be negative and need not sum to 1: nothing is done to them first."""
    gives_tensors(learner)
    keys, width = draw.distinct(2, 3, 9)
    size = draw.integer(3, 6)
    negative = -draw.uniform(keys, low=0.2, high=1)
    # nearly cancelling, but not quite: at a sum of 0 one writing of a wrong division gives inf and another NaN
    opposed = torch.tensor([1.0, -0.75])
    learner.agrees(
        case(*pair(draw, keys)),
        case(*pair(draw, keys, width)),
        case(*pair(draw, size, size)),
        case(*pair(draw, keys, width, dtype=torch.float64)),
        case(*pair(draw, keys, dtype=torch.float64)),
        case(*away_from_zero(negative, draw.normal(keys, width))),
        case(*away_from_zero(draw.uniform(keys, low=2, high=5), draw.normal(keys))),
        case(opposed, torch.tensor([5.0, 2.0]) + draw.uniform(2)),
        # one key
        case(*pair(draw, 1)),
        case(*pair(draw, 1, width)),
        case(*pair(draw, 1, 1)),
    )


@points(0.5)
def test_gradients_reach_weights_and_values(learner, draw):
    """Gradients flow back to weights and values."""
    gives_tensors(learner)
    keys, width = draw.distinct(2, 2, 7)
    learner.agrees_in_gradients(case(*pair(draw, keys, width)), number_as_a_row(*pair(draw, keys)))


@points(0.25, role="manners")
def test_inputs_are_left_alone(learner, draw):
    """Weights and values are not changed."""
    learner.keeps_inputs(case(*pair(draw, 4)), case(*pair(draw, 3, 5)), case(*pair(draw, 3, 3)))
