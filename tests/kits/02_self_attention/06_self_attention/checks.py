import torch

from grader.judge.authoring import called_again, expect, module, points, same

AXES = "batch tokens hidden_size"


def case(draw, batch, tokens, width, dtype=torch.float32, train=False):
    asked = module(
        "MySelfAttention",
        width,
        weights=draw.weights("MySelfAttention", width),
        inputs={"x": draw.normal(batch, tokens, width, dtype=dtype)},
        dtype=dtype,
        axes=AXES,
        train=train,
    )
    if train:
        asked.said = "in training"
    return asked


def pair(weights, width, first, second):
    """The same module on two inputs."""
    return [module("MySelfAttention", width, weights=weights, inputs={"x": x}, axes=AXES) for x in (first, second)]


@points(0.5, role="manners", visible=True)
def test_shape_of_the_documents_example(learner, draw):
    """MySelfAttention(64) turns (2, 100, 64) into (2, 100, 64)."""
    learner.outputs(case(draw, 2, 100, 64))


@points(4, role="main")
def test_agrees_with_formula(learner, draw):
    """The output is softmax(query · keyᵀ / √D) · value."""
    batch, tokens, width = draw.distinct(3, 2, 9)
    reshaped = case(draw, batch, tokens, width)
    reshaped.call(reshaped.module, draw.normal(tokens, batch, width), return_as="second output")
    again = case(draw, batch, tokens, width)
    called_again(again, draw.normal(batch, tokens, width), weights=draw.weights("MySelfAttention", width))
    learner.agrees(
        case(draw, batch, tokens, width),
        case(draw, tokens, width, batch),
        reshaped,  # the same module once more, on another shape
        again,
        case(draw, width, width, width),  # square: a wrong axis fits here
        case(draw, 1, tokens, width),
        case(draw, batch, 1, width),
        case(draw, batch, tokens, 1),
        case(draw, batch, draw.integer(33, 48), draw.integer(5, 8)),  # long, and wide enough for a rounded root to show
        case(draw, batch, tokens, width, dtype=torch.float64),
    )


@points(1)
def test_equal_values_come_back(learner, draw):
    """When all values are the same, each output is that value: the weights of each query sum to 1."""
    batch, tokens, width = draw.distinct(3, 3, 8)
    weights = draw.weights("MySelfAttention", width)
    weights["linear_v.weight"] = torch.zeros(width, width)
    x = draw.normal(batch, tokens, width)
    output, _ = learner.outputs(
        module("MySelfAttention", width, weights=weights, inputs={"x": x}, axes=AXES),
        case(draw, batch, tokens, width),  # for the diagnosis: equal values hide what was done to them
    )
    expect(
        same(output, weights["linear_v.bias"].expand(batch, tokens, width)),
        "With the same value for every token, the output is not that value. Do the weights of each query sum to 1, "
        "and are they applied to the values?",
    )


@points(0.5, role="manners")
def test_order_of_tokens_does_not_matter(learner, draw):
    """Without a mask, tokens in another order give the same outputs in that order."""
    batch, tokens, width = draw.distinct(3, 3, 8)
    x, order = draw.normal(batch, tokens, width), draw.order(tokens)
    straight, mixed = learner.outputs(*pair(draw.weights("MySelfAttention", width), width, x, x[:, order]))
    expect(
        same(mixed, straight[:, order]),
        "With the tokens in another order, the outputs are not just in that other order. "
        "Is there a mask, or does the softmax run over another axis than the keys?",
    )


@points(0.5, role="manners")
def test_sequences_of_a_batch_are_separate(learner, draw):
    """Changing one sequence of the batch never changes the output of another."""
    batch, tokens, width = draw.distinct(3, 3, 8)
    x = draw.normal(batch, tokens, width)
    others = torch.cat([x[:1], draw.normal(batch - 1, tokens, width)])
    before, after = learner.outputs(*pair(draw.weights("MySelfAttention", width), width, x, others))
    expect(
        same(before[0], after[0]),
        "The first sequence's output changed although only other sequences did. Look for a softmax or a transpose along the batch axis.",
    )


@points(1)
def test_gradients_reach_input_and_parameters(learner, draw):
    """Gradients reach x and all three layers; in training the numbers are the same as in eval()."""
    batch, tokens, width = draw.distinct(3, 2, 7)
    learner.agrees_in_gradients(case(draw, batch, tokens, width), case(draw, batch, tokens, width, train=True))


@points(0.5, role="manners")
def test_input_is_left_alone(learner, draw):
    """The input x is not changed."""
    learner.keeps_inputs(case(draw, 2, 3, 4))
