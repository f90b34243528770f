import math

import torch

from grader.judge.authoring import Case, called_again, expect, module, points

ENTRY = "QKVParameters"
AXES = "batch tokens d_out"
NAMES = ("W_query", "W_key", "W_value")
TINY = 1e-16


def case(draw, *leading, d_in, d_out, dtype=torch.float32, train=False, axes=AXES):
    return module(
        ENTRY,
        d_in,
        d_out,
        weights=draw.weights(ENTRY, d_in, d_out),
        inputs={"x": draw.normal(*leading, d_in, dtype=dtype)},
        dtype=dtype,
        train=train,
        axes=axes,
    )


def made(asked, d_in, d_out):
    return asked.call(asked.entry(ENTRY), d_in, d_out)


def tell_whether_positive(asked, slot, name):
    """Tell 0 for 0 and TINY for anything clearly larger, whatever the distribution the learner drew from."""
    asked.call(asked.library_module("Hardtanh", 0.0, TINY), slot, return_as=name)


def is_zero(value):
    return not (isinstance(value, torch.Tensor) and value.numel() == 1 and float(value) > 0.0)


@points(0.5, role="manners", visible=True)
def test_shapes_of_the_documents_sizes(learner, draw):
    """QKVParameters(3, 2) turns six tokens of width 3 into queries, keys and values of shape (6, 2)."""
    (answer,) = learner.ask(case(draw, 6, d_in=3, d_out=2, axes="tokens d_out"))
    parts = answer["output"]
    expect(
        isinstance(parts, (list, tuple)) and len(parts) == 3,
        "`forward` should return three tensors: queries, keys, values.",
    )
    for name, part in zip(("queries", "keys", "values"), parts, strict=True):
        expect(
            isinstance(part, torch.Tensor) and part.shape == (6, 2),
            f"For x of shape (6, 3) = (tokens, d_in) the {name} should have the shape (6, 2) = (tokens, d_out).",
        )


@points(0.5, role="manners")
def test_three_parameters(learner, draw):
    """W_query, W_key and W_value are parameters of the module, each (d_in, d_out), and can be trained."""
    d_in, d_out = draw.distinct(2, 2, 9)
    loaded, listed = Case(), Case()
    loaded.load(made(loaded, d_in, d_out), draw.weights(ENTRY, d_in, d_out))
    listed.parameters(made(listed, d_in, d_out))
    _, answer = learner.ask(loaded, listed)
    parameters = answer["parameters"]
    expect(isinstance(parameters, dict), "The module's parameters could not be read.")
    for name, about in parameters.items():
        expect(
            isinstance(about, (list, tuple)) and len(about) == 2 and about[1] is True,
            f"`{name}` cannot be trained: its requires_grad is False.",
        )


@points(0.75)
def test_matrices_are_drawn_at_random(learner, draw):
    """As they are made, no matrix is filled with one number, and no two are the same."""
    # large enough that memory which nobody filled (torch.empty) comes as zeros
    d_in, d_out = draw.distinct(2, 400, 450)
    few_in, few_out = draw.distinct(2, 2, 9)
    loaded, drawn = Case(), Case(seed=draw.seed())
    loaded.load(made(loaded, few_in, few_out), draw.weights(ENTRY, few_in, few_out))
    fresh = made(drawn, d_in, d_out)
    matrices = {name: drawn.call(fresh, name, method="get_parameter") for name in NAMES}
    distance = drawn.library_module("MSELoss")
    pairs = [("W_query", "W_key"), ("W_query", "W_value"), ("W_key", "W_value")]
    for name, matrix in matrices.items():
        # each number next to its neighbour: exactly 0 for one number everywhere, where a variance may not be
        tell_whether_positive(drawn, drawn.call(distance, matrix, drawn.call(matrix, 1, method="roll")), name)
    for one, other in pairs:
        apart = drawn.call(distance, matrices[one], matrices[other])
        tell_whether_positive(drawn, apart, f"{one} {other}")
    _, answer = learner.ask(loaded, drawn)
    for name in NAMES:
        expect(
            not is_zero(answer[name]),
            f"`{name}` does not start with random numbers: all of them are equal, or NaN. Fill it with torch.rand or torch.randn.",
        )
    for one, other in pairs:
        expect(
            not is_zero(answer[f"{one} {other}"]),
            f"`{one}` and `{other}` start as the same matrix. Draw new numbers for each.",
        )


@points(2, role="main")
def test_agrees_with_the_three_products(learner, draw):
    """The results are x · W_query, x · W_key and x · W_value, in this order."""
    batch, tokens, d_in, d_out, groups = draw.distinct(5, 2, 9)
    reshaped = case(draw, batch, tokens, d_in=d_in, d_out=d_out)
    reshaped.call(reshaped.module, draw.normal(tokens, batch, d_in), return_as="second output")
    again = case(draw, batch, tokens, d_in=d_in, d_out=d_out)
    called_again(again, draw.normal(batch, tokens, d_in), weights=draw.weights(ENTRY, d_in, d_out))
    learner.agrees(
        case(draw, batch, tokens, d_in=d_in, d_out=d_out),
        case(draw, tokens, batch, d_in=d_out, d_out=d_in),
        reshaped,  # the same module once more, on another shape
        again,
        case(draw, batch, d_in, d_in=d_in, d_out=d_in),  # square: a transposed matrix fits here
        case(draw, d_in, d_in, d_in=d_in, d_out=d_in),
        case(draw, 1, tokens, d_in=d_in, d_out=d_out),
        case(draw, batch, 1, d_in=d_in, d_out=d_out),
        case(draw, batch, tokens, d_in=1, d_out=d_out),
        case(draw, batch, tokens, d_in=d_in, d_out=1),
        case(draw, tokens, d_in=d_in, d_out=d_out, axes="tokens d_out"),
        case(draw, 1, d_in=d_in, d_out=d_out, axes="tokens d_out"),
        case(draw, groups, batch, tokens, d_in=d_in, d_out=d_out, axes="groups batch tokens d_out"),
        case(draw, batch, tokens, d_in=d_in, d_out=d_out, dtype=torch.float64),
    )
    in_training = case(draw, batch, tokens, d_in=d_in, d_out=d_out, train=True)
    in_training.said = "in training"
    learner.agrees(in_training)


@points(0.75)
def test_gradients_reach_input_and_parameters(learner, draw):
    """Gradients reach x and all three matrices."""
    batch, tokens, d_in, d_out = draw.distinct(4, 2, 7)
    learner.agrees_in_gradients(
        case(draw, batch, tokens, d_in=d_in, d_out=d_out),
        case(draw, tokens, d_in=d_in, d_out=d_in, axes="tokens d_out"),
    )


@points(0.25, role="manners")
def test_matrices_stay_between_calls(learner, draw):
    """Two calls with the same x give the same result."""
    asked = Case(seed=draw.seed())
    fresh = made(asked, 4, 3)
    asked.prepare(fresh)
    x = asked.tensor(draw.normal(2, 5, 4))
    # as the learner's class makes them, nothing loaded: matrices drawn anew have other numbers at the second call
    first, second = (asked.call(asked.call(fresh, x), 0, method="__getitem__") for _ in range(2))
    tell_whether_positive(asked, asked.call(asked.library_module("MSELoss"), first, second), "apart")
    (answer,) = learner.ask(asked)
    apart = answer["apart"]
    expect(
        isinstance(apart, torch.Tensor) and apart.numel() == 1 and not math.isnan(float(apart)) and is_zero(apart),
        "Two calls of one module with the same x give different results. Are the matrices made anew in `forward`?",
    )


@points(0.25, role="manners")
def test_input_is_left_alone(learner, draw):
    """The input x is not changed."""
    learner.keeps_inputs(
        case(draw, 2, 3, d_in=4, d_out=5),
        case(draw, 3, d_in=4, d_out=4, axes="tokens d_out"),
    )
