import torch

from grader.judge.authoring import called_again, expect, function, points


def case(query, key, axes="batch queries keys"):
    return function("scaled_scores", query, key, names=["query", "key"], axes=axes)


def pair(draw, *leading, queries, keys, width, dtype=torch.float32):
    return draw.normal(*leading, queries, width, dtype=dtype), draw.normal(*leading, keys, width, dtype=dtype)


@points(0.5, visible=True)
def test_worked_example(learner):
    """Products of 10 and 2 at width 4 become scores of 5 and 1."""
    query = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
    key = torch.tensor([[1.0, 1.0, 1.0, 1.0], [2.0, 0.0, 0.0, 0.0]])
    (scores,) = learner.outputs(case(query, key, axes="queries keys"))
    expect(
        torch.allclose(scores, torch.tensor([[5.0, 1.0]]), atol=1e-5),
        f"The query [1, 2, 3, 4] should score 5 and 1; yours are {[round(score, 4) for score in scores[0].tolist()]}.",
    )


@points(1.5, role="main")
def test_agrees_with_formula(learner, draw):
    """Entry (i, j) is query i · key j / √d."""
    batch, queries, keys, width = draw.distinct(4, 2, 9)
    learner.agrees(
        case(*pair(draw, batch, queries=queries, keys=keys, width=width)),
        called_again(
            case(*pair(draw, batch, queries=queries, keys=keys, width=width)),
            *pair(draw, batch, queries=queries, keys=keys, width=width),
        ),
        case(*pair(draw, batch, queries=keys, keys=queries, width=width)),
        case(*pair(draw, queries, queries=batch, keys=width, width=keys)),
        # square: a wrong axis fits here
        case(*pair(draw, width, queries=width, keys=width, width=width)),
        case(*pair(draw, batch, queries=queries, keys=queries, width=width)),
        case(*pair(draw, 1, queries=queries, keys=keys, width=width)),
        case(*pair(draw, batch, queries=1, keys=keys, width=width)),
        case(*pair(draw, batch, queries=queries, keys=1, width=width)),
        case(*pair(draw, batch, queries=1, keys=1, width=width)),
        case(*pair(draw, batch, queries=queries, keys=keys, width=1)),
        case(*pair(draw, batch, queries=queries, keys=keys, width=6)),  # a root that is no whole number
        case(*pair(draw, batch, queries=queries, keys=keys, width=width, dtype=torch.float64)),
    )


@points(1, role="main")
def test_any_number_of_leading_axes(learner, draw):
    """Without a batch, or with batch and heads, each pair of matrices is treated the same."""
    batch, heads, queries, keys, width = draw.distinct(5, 2, 9)
    size = draw.integer(3, 6)
    learner.agrees(
        case(*pair(draw, queries=queries, keys=keys, width=width), axes="queries keys"),
        case(*pair(draw, queries=size, keys=size, width=size), axes="queries keys"),
        case(*pair(draw, batch, heads, queries=queries, keys=keys, width=width), axes="batch heads queries keys"),
        case(*pair(draw, size, size, queries=size, keys=size, width=size), axes="batch heads queries keys"),
    )


@points(0.5)
def test_gradients_reach_query_and_key(learner, draw):
    """Gradients flow back to query and key."""
    batch, queries, keys, width = draw.distinct(4, 2, 7)
    size = draw.integer(8, 12)
    learner.agrees_in_gradients(
        case(*pair(draw, batch, queries=queries, keys=keys, width=width)),
        case(*pair(draw, queries=size, keys=size, width=size), axes="queries keys"),
    )


@points(0.5, role="manners")
def test_inputs_are_left_alone(learner, draw):
    """Query and key are not changed."""
    learner.keeps_inputs(
        case(*pair(draw, 2, queries=3, keys=4, width=5)),
        case(*pair(draw, queries=3, keys=3, width=3), axes="queries keys"),
    )
