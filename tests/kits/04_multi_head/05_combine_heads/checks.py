import torch

from grader.judge.authoring import Case, called_again, expect, points, same

ENTRY = "combine_heads"
AXES = ("outputs of all heads", "inputs")


def drawn(draw, heads, d_head, d_in, dtype=torch.float32):
    return [draw.normal(d_head, d_in, dtype=dtype) for _ in range(heads)]


def case(head_weights, return_given=False):
    """`return_given`: the list is also returned as it is after the call."""
    asked = Case(axes=AXES)
    handed_in = [asked.tensor(weight, name=f"head_weights[{i}]") for i, weight in enumerate(head_weights)]
    if return_given:
        # in a slot of its own the list is the very one that the function gets
        handed_in = asked._add("value", "given", value=handed_in)
    asked.output = asked.call(asked.entry(ENTRY), handed_in, return_as="output")
    return asked


@points(0.5, visible=True)
def test_two_heads_of_two_rows(learner):
    """[[1, 2], [3, 4]] and [[5, 6], [7, 8]] become [[1, 2], [3, 4], [5, 6], [7, 8]]."""
    heads = [torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[5.0, 6.0], [7.0, 8.0]])]
    (combined,) = learner.outputs(case(heads))
    due = torch.arange(1.0, 9.0).view(4, 2)
    expect(
        torch.equal(combined, due),
        f"The heads [[1, 2], [3, 4]] and [[5, 6], [7, 8]] should become {due.tolist()}; yours is {combined.tolist()}.",
    )


@points(1.5, role="main")
def test_heads_in_order(learner, draw):
    """The rows of head 0 come first, then those of head 1, and so on."""
    heads, d_head, d_in = draw.distinct(3, 2, 7)
    side = draw.integer(3, 5)
    again = case(drawn(draw, heads, d_head, d_in))
    learner.agrees(
        case(drawn(draw, heads, d_head, d_in)),
        case(drawn(draw, d_in, heads, d_head)),
        called_again(again, [again.tensor(weight) for weight in drawn(draw, heads, d_head, d_in)]),
        # square: transposed matrices fit here
        case(drawn(draw, side, side, side)),
        case(drawn(draw, heads, side, side)),
        case(drawn(draw, heads, d_head, heads * d_head)),
        case(drawn(draw, 1, d_head, d_in)),
        case(drawn(draw, heads, 1, d_in)),
        case(drawn(draw, heads, d_head, 1)),
        case(drawn(draw, 1, 1, 1)),
        case(drawn(draw, heads, d_head, d_in, dtype=torch.float64)),
    )


@points(1, role="main")
def test_one_product_does_for_all(learner, draw):
    """x · resultᵀ is what the heads make of x one by one, side by side."""
    heads, d_head, d_in = draw.distinct(3, 2, 7)
    side = draw.integer(3, 5)
    lists = [drawn(draw, heads, d_head, d_in), drawn(draw, side, side, side), drawn(draw, heads, side, side)]
    for weights, combined in zip(lists, learner.outputs(*map(case, lists)), strict=True):
        x = draw.normal(5, weights[0].shape[1])
        one_by_one = torch.cat([x @ weight.T for weight in weights], dim=1)
        expect(
            same(x @ combined.T, one_by_one),
            "One product with your matrix does not give what the heads give one by one, side by side: first all columns of head 0, then all "
            "of head 1.",
        )


@points(0.5)
def test_gradients_reach_every_head(learner, draw):
    """Gradients flow back to the matrix of every head."""
    heads, d_head, d_in = draw.distinct(3, 2, 6)
    learner.agrees_in_gradients(case(drawn(draw, heads, d_head, d_in)), case(drawn(draw, heads, d_in, d_in)))


@points(0.5, role="manners")
def test_inputs_are_left_alone(learner, draw):
    """Neither the matrices nor the list that holds them are changed."""
    heads, d_head, d_in = draw.distinct(3, 2, 6)
    weights = drawn(draw, heads, d_head, d_in)
    learner.keeps_inputs(case(weights))
    (answer,) = learner.ask(case(weights, return_given=True))
    given = answer["given"]
    expect(
        isinstance(given, list) and len(given) == heads,
        "The list that was passed in has another length now (pop, append, del). The caller still needs it: only read from it.",
    )
    expect(
        all(same(after, before) for after, before in zip(given, weights, strict=True)),
        "The list that was passed in holds other matrices now, or in another order. The caller still needs it: only read from it.",
    )
