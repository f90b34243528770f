import torch

from grader.judge.authoring import Case, called_again, expect, module, points, same

AXES = "batch tokens hidden_size"
NAMES = ("query", "key", "value")


def case(draw, *shape, dtype=torch.float32, axes=AXES):
    width = shape[-1]
    return module(
        "QKVLinear",
        width,
        weights=draw.weights("QKVLinear", width),
        inputs={"x": draw.normal(*shape, dtype=dtype)},
        dtype=dtype,
        axes=axes,
    )


@points(0.5, role="manners", visible=True)
def test_shapes_of_the_documents_sizes(learner, draw):
    """QKVLinear(64) turns (2, 100, 64) into three tensors of that shape."""
    (answer,) = learner.ask(case(draw, 2, 100, 64))
    parts = answer["output"]
    expect(
        isinstance(parts, (list, tuple)) and len(parts) == 3,
        "`forward` should return three tensors: query, key, value.",
    )
    for name, part in zip(NAMES, parts, strict=True):
        expect(
            isinstance(part, torch.Tensor) and part.shape == (2, 100, 64),
            f"For x of shape (2, 100, 64) = (batch, tokens, hidden_size) the {name} should have that shape too.",
        )


@points(0.5, role="manners")
def test_three_layers_with_bias(learner, draw):
    """linear_q, linear_k and linear_v are layers of the module, each with a weight and a bias of its own."""
    width = draw.integer(3, 9)
    loaded, listed = Case(), Case()
    made = loaded.call(loaded.entry("QKVLinear"), width)
    loaded.load(made, draw.weights("QKVLinear", width))
    listed.parameters(listed.call(listed.entry("QKVLinear"), width))
    _, answer = learner.ask(loaded, listed)
    for name, (_, is_trainable) in answer["parameters"].items():
        expect(is_trainable, f"`{name}` cannot be trained: its requires_grad is False.")


@points(2, role="main")
def test_agrees_with_the_three_layers(learner, draw):
    """Query, key and value are x through linear_q, linear_k and linear_v, in this order."""
    batch, tokens, width, groups = draw.distinct(4, 2, 9)
    reshaped = case(draw, batch, tokens, width)
    reshaped.call(reshaped.module, draw.normal(tokens, batch, width), return_as="second output")
    again = case(draw, batch, tokens, width)
    called_again(again, draw.normal(batch, tokens, width), weights=draw.weights("QKVLinear", width))
    learner.agrees(
        case(draw, batch, tokens, width),
        case(draw, tokens, width, batch),
        reshaped,  # the same module once more, on another shape
        again,
        case(draw, width, width, width),  # square: a transposed weight fits here
        case(draw, 1, tokens, width),
        case(draw, batch, 1, width),
        case(draw, batch, tokens, 1),
        case(draw, tokens, width, axes="tokens hidden_size"),
        case(draw, groups, batch, tokens, width, axes="groups batch tokens hidden_size"),
        case(draw, batch, tokens, width, dtype=torch.float64),
    )


@points(1)
def test_scaling_is_one_over_the_root_of_the_width(learner, draw):
    """`scaling` is the number 1 / √hidden_size, before and after a call of the module."""
    widths = [*draw.distinct(3, 2, 9), 64, 1]
    cases = []
    for width in widths:
        asked = Case()
        asked.attribute(asked.call(asked.entry("QKVLinear"), width), "scaling")
        cases.append(asked)
    for width, answer in zip(widths, learner.ask(*cases), strict=True):
        expect(
            same(answer["scaling"], width**-0.5),
            f"`scaling` is not right for hidden_size = {width}. It is one divided by the square root of hidden_size, a number.",
        )
    tokens = widths[0] + 1
    called = case(draw, 2, tokens, widths[0])
    called.attribute(called.module, "scaling")
    called.call(called.module, draw.normal(2, tokens, widths[0]))
    called.attribute(called.module, "scaling", return_as="scaling after the second call")
    (answer,) = learner.ask(called)
    for name in ("scaling", "scaling after the second call"):
        expect(
            same(answer[name], widths[0] ** -0.5),
            "`scaling` was right when the module was made, but a call of the module changes it. `forward` leaves it as it is.",
        )


@points(0.5)
def test_gradients_reach_input_and_parameters(learner, draw):
    """Gradients reach x and all three layers."""
    batch, tokens, width = draw.distinct(3, 2, 7)
    learner.agrees_in_gradients(case(draw, batch, tokens, width))


@points(0.25, role="manners")
def test_layers_stay_between_calls(learner, draw):
    """Two calls with the same x give the same result."""
    asked = Case(seed=draw.seed())
    made = asked.call(asked.entry("QKVLinear"), 4)
    asked.prepare(made)
    x = asked.tensor(draw.normal(2, 3, 4))
    # as the learner's class makes them, no weights loaded: layers made anew have other numbers at the second call
    for name in ("first", "second"):
        asked.call(made, x, return_as=name)
    (answer,) = learner.ask(asked)
    expect(
        same(answer["second"], answer["first"]),
        "Two calls of one module with the same x give different results. Are the layers made anew in `forward`?",
    )


@points(0.25, role="manners")
def test_input_is_left_alone(learner, draw):
    """The input x is not changed."""
    learner.keeps_inputs(case(draw, 2, 3, 4))
