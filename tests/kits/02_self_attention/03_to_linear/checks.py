import torch

from grader.judge.authoring import Case, expect, points

AXES = "batch tokens d_out"


def case(draw, *leading, d_in, d_out, dtype=torch.float32, axes=AXES):
    """Make a layer, call it, load other numbers into it by name and call it again: what comes back has to be a layer."""
    asked = Case(axes=tuple(axes.split()))
    weight = asked.tensor(draw.normal(d_in, d_out, dtype=dtype), name="weight")
    x = asked.tensor(draw.normal(*leading, d_in, dtype=dtype), name="x")
    layer = asked.call(asked.entry("to_linear"), weight)
    asked.prepare(layer)
    asked.output = asked.call(layer, x, return_as="output")
    other = asked.call(asked.entry("to_linear"), draw.normal(d_in, d_out, dtype=dtype))
    asked.call(other, x, return_as="output of a second layer, made from another matrix of the same shape")
    asked.call(layer, draw.normal(*leading, d_in, dtype=dtype), return_as="output for another x of the same shape")
    asked.load(layer, {"weight": draw.normal(d_out, d_in)})
    asked.call(layer, x, return_as="output after other numbers were loaded into the layer")
    return asked


def gradient_case(draw, *leading, d_in, d_out, axes=AXES):
    asked = Case(axes=tuple(axes.split()))
    asked.module = asked.call(asked.entry("to_linear"), draw.normal(d_in, d_out))
    asked.output = asked.call(asked.module, asked.tensor(draw.normal(*leading, d_in), name="x"), return_as="output")
    return asked


@points(0.5, visible=True)
def test_worked_example(learner):
    """The layer made from [[1, 2], [3, 4], [5, 6]] turns [1, 0, 2] into [11, 14]."""
    asked = Case(axes=("d_out",))
    layer = asked.call(asked.entry("to_linear"), torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    asked.parameters(layer)
    asked.call(layer, torch.tensor([1.0, 0.0, 2.0]), return_as="output")
    (output,) = learner.outputs(asked)
    expect(
        torch.allclose(output, torch.tensor([11.0, 14.0]), atol=1e-4),
        f"[1, 0, 2] should become [11, 14]; yours is {[round(number, 4) for number in output.tolist()]}.",
    )


@points(1, role="main")
def test_agrees_with_product(learner, draw):
    """The layer turns x into x · weight, in the dtype of `weight`."""
    batch, tokens, d_in, d_out, groups = draw.distinct(5, 2, 9)
    learner.agrees(
        case(draw, batch, tokens, d_in=d_in, d_out=d_out),
        case(draw, batch, tokens, d_in=d_out, d_out=d_in),
        case(draw, 1, tokens, d_in=d_in, d_out=d_out),
        case(draw, tokens, d_in=d_in, d_out=d_out, axes="tokens d_out"),
        case(draw, d_in=d_in, d_out=d_out, axes="d_out"),
        case(draw, groups, batch, tokens, d_in=d_in, d_out=d_out, axes="groups batch tokens d_out"),
        case(draw, batch, tokens, d_in=1, d_out=d_out),
        case(draw, batch, tokens, d_in=d_in, d_out=1),
        case(draw, batch, tokens, d_in=d_in, d_out=d_out, dtype=torch.float64),
    )


@points(0.75, role="main")
def test_square_matrix(learner, draw):
    """A square matrix comes out the right way round too, though it fits both ways."""
    batch, tokens, width = draw.distinct(3, 2, 9)
    learner.agrees(
        case(draw, batch, tokens, d_in=width, d_out=width),
        case(draw, width, width, d_in=width, d_out=width),
        case(draw, tokens, d_in=1, d_out=1, axes="tokens d_out"),
        case(draw, tokens, d_in=width, d_out=width, dtype=torch.float64, axes="tokens d_out"),
    )


@points(0.75, role="manners")
def test_layer_without_bias(learner, draw):
    """The result is an nn.Linear with a trainable weight (d_out, d_in) and no bias."""
    d_in, d_out = draw.distinct(2, 2, 9)
    listed, loaded, inspected = Case(), Case(), Case()
    listed.parameters(listed.call(listed.entry("to_linear"), draw.normal(d_in, d_out)))
    loaded.load(loaded.call(loaded.entry("to_linear"), draw.normal(d_in, d_out)), {"weight": draw.normal(d_out, d_in)})
    inspected.attribute(inspected.call(inspected.entry("to_linear"), draw.normal(d_in, d_out)), "in_features")
    (answer,) = learner.ask(listed)
    parameters = answer["parameters"]
    expect(isinstance(parameters, dict), "The layer's parameters could not be read.")
    expect(
        parameters.keys() == {"weight"},
        "The layer has a bias that x · weight does not have. Make it with bias=False."
        if "bias" in parameters
        else "The layer should have exactly one parameter, `weight`. Is it an nn.Linear?",
    )
    about = parameters["weight"]
    expect(
        isinstance(about, (list, tuple)) and len(about) == 2 and about[1] is True,
        "The layer's weight cannot be trained: its requires_grad is False.",
    )
    learner.ask(loaded)
    (seen,) = learner.ask_all(inspected)
    expect(
        seen.error is None,
        "What came back is a module of your own. Return an nn.Linear that holds the numbers of `weight`.",
    )


@points(0.75)
def test_gradients_reach_input_and_weight(learner, draw):
    """Gradients reach x and the layer's weight."""
    batch, tokens, d_in, d_out = draw.distinct(4, 2, 7)
    learner.agrees_in_gradients(
        gradient_case(draw, batch, tokens, d_in=d_in, d_out=d_out),
        gradient_case(draw, tokens, d_in=d_in, d_out=d_in, axes="tokens d_out"),
    )


@points(0.25, role="manners")
def test_inputs_are_left_alone(learner, draw):
    """Neither weight nor x is changed."""
    d_in, d_out = draw.distinct(2, 2, 6)
    asked = []
    for rows, columns in ((d_in, d_out), (d_in, d_in)):
        each = Case()
        layer = each.call(each.entry("to_linear"), each.tensor(draw.normal(rows, columns), name="weight"))
        each.call(layer, each.tensor(draw.normal(3, rows), name="x"), return_as="output")
        asked.append(each)
    learner.keeps_inputs(*asked)
