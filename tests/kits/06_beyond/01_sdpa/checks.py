import torch
from families.drawn import drawn_mask, query_key_value
from families.loud import cut_off

from grader.judge.authoring import called_again, expect, function, points, same

CALL = "scaled_dot_product_attention"
NAMES = ("query", "key", "value", "hidden")
AXES = ("batch", "head", "queries", "value_width")


def sizes(draw):
    """Numbers of queries and keys, width of keys, width of values."""
    return draw.distinct(4, 2, 8)


def case(draw, leading, queries, keys, width, value_width, *, hidden=None, dtype=torch.float32):
    if hidden is None:
        hidden = drawn_mask(draw, queries, keys)
    return function(
        "sdpa",
        *query_key_value(draw, leading, queries, keys, width, value_width, dtype=dtype),
        hidden,
        names=NAMES,
        axes=" ".join(AXES),
    )


def telling_whether_it_calls(asked):
    """Tell only whether the library's function was called: what else was called is nobody's business."""
    asked.call(asked.observed("functions"), CALL, method="__contains__", return_as="called")
    return asked


@points(0.5, visible=True)
def test_three_tokens_that_see_themselves_and_earlier_ones(learner):
    """With equal scores and the later tokens hidden, the values 1, 2, 4 become their running means 1, 1.5, 2.333."""
    alike, later = torch.zeros(1, 1, 3, 2), torch.ones(3, 3).triu(1).bool()
    value = torch.tensor([[1.0], [2.0], [4.0]]).expand(1, 1, 3, 1)
    (output,) = learner.outputs(
        function("sdpa", alike, alike, value, later, names=NAMES, axes=" ".join(AXES)),
    )
    came = [round(number, 5) for number in output.flatten().tolist()]
    expect(
        torch.allclose(output.flatten(), torch.tensor([1.0, 1.5, 7 / 3]), atol=1e-4),
        f"The running means of 1, 2, 4 are 1, 1.5, 2.33333; yours are {came}.",
    )


@points(2.5, role="main")
def test_agrees_with_formula(learner, draw):
    """Weights are softmax(query · keyᵀ / √d) over the places that are not hidden; any pattern, any lengths, any sizes."""
    queries, keys, width, value_width = sizes(draw)
    batch, heads, side, _ = sizes(draw)
    again = case(draw, (batch, heads), queries, keys, width, value_width)
    shapes = [(queries, width), (keys, width), (keys, value_width)]
    called_again(again, *[draw.normal(batch, heads, *shape) for shape in shapes], drawn_mask(draw, queries, keys))
    learner.agrees(
        case(draw, (batch, heads), queries, keys, width, value_width),
        case(draw, (batch, heads), keys, queries, width, value_width),
        again,
        case(draw, (1, 1), queries, keys, width, value_width),
        # square, heads among them: a wrong axis fits here without an error
        case(draw, (side, side), side, side, side, side),
        case(draw, (batch, heads), side, side, width, width, hidden=torch.ones(side, side).triu(1).bool()),
        # the last query sees all, as behind a cache
        case(draw, (batch, heads), 3, 5, width, value_width, hidden=torch.ones(3, 5).triu(3).bool()),
        case(draw, (batch, heads), queries, keys, width, width, hidden=torch.zeros(queries, keys).bool()),
        case(draw, (1, heads), queries, keys, 1, value_width),
        case(draw, (batch, 1), 1, keys, width, value_width),
        case(draw, (batch, heads), 1, 1, width, value_width, hidden=torch.zeros(1, 1).bool()),
        case(draw, (batch, heads), queries, keys, width, value_width, dtype=torch.float64),
    )
    hidden_keys_are_too_loud(learner, draw, (batch, heads), queries, keys, width)


def hidden_keys_are_too_loud(learner, draw, leading, queries, keys, width):
    """Scores are -55 but for the last key: its score is far above them, it is hidden, and its value is huge."""
    hidden = torch.zeros(queries, keys).bool()
    hidden[:, -1] = True
    for dtype, score in ((torch.float32, 20.0), (torch.float64, 55.0)):
        query = torch.ones(*leading, queries, width, dtype=dtype)
        key = torch.full((*leading, keys, width), -55.0 / width**0.5, dtype=dtype)
        key[..., -1, :] = score / width**0.5
        value = draw.normal(*leading, keys, 2, dtype=dtype)
        huge = value.clone()
        huge[..., -1, :] = 1e30
        before, after = learner.outputs(
            *[
                cut_off(function("sdpa", query, key, each, hidden, names=NAMES, axes=" ".join(AXES)))
                for each in (value, huge)
            ]
        )
        expect(
            same(after, before),
            "A hidden key whose score is far above the others, and whose value is huge, still comes through. A boolean mask hides it "
            "completely; in a mask of numbers only minus infinity, or something far below every score, does.",
        )


@points(0.5, role="main")
def test_library_does_the_work(learner, draw):
    """It is torch's scaled_dot_product_attention that gives the result."""
    queries, keys, width, value_width = sizes(draw)
    learner.agrees(case(draw, (2, 3), queries, keys, width, value_width))
    (answer,) = learner.ask(telling_whether_it_calls(case(draw, (2, 3), queries, keys, width, value_width)))
    expect(
        answer["called"] is True,
        "The numbers are right, but they did not come from `scaled_dot_product_attention`. Calling it is what is asked for here: "
        "torch.nn.functional has it.",
    )


@points(0.25)
def test_gradients_reach_queries_keys_and_values(learner, draw):
    """Gradients flow back to query, key and value."""
    learner.agrees_in_gradients(case(draw, (2, 3), *sizes(draw)), case(draw, (3, 1), *sizes(draw), dtype=torch.float64))


@points(0.25, role="manners")
def test_inputs_are_left_alone(learner, draw):
    """Neither the tensors nor the mask are changed."""
    learner.keeps_inputs(case(draw, (2, 3), *sizes(draw)))
