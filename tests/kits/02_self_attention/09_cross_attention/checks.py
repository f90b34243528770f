import torch

from grader.judge.authoring import called_again, expect, module, points, same

ENTRY = "CrossAttention"
AXES = "batch queries hidden_size"


def asked_with(weights, x, memory, dtype=torch.float32, train=False):
    inputs = {"x": x, "memory": memory}
    return module(ENTRY, x.shape[-1], weights=weights, inputs=inputs, dtype=dtype, train=train, axes=AXES)


def case(draw, batch, queries, keys, width, dtype=torch.float32, train=False):
    x, memory = (draw.normal(batch, length, width, dtype=dtype) for length in (queries, keys))
    return asked_with(draw.weights(ENTRY, width), x, memory, dtype, train)


@points(0.5, role="manners", visible=True)
def test_five_tokens_ask_nine(learner, draw):
    """CrossAttention(64) turns x of (2, 5, 64) and memory of (2, 9, 64) into (2, 5, 64)."""
    learner.outputs(case(draw, 2, 5, 9, 64))


@points(2.5, role="main")
def test_agrees_with_formula(learner, draw):
    """The query comes from x, key and value from memory, whatever the two lengths."""
    batch, queries, keys, width = draw.distinct(4, 2, 9)
    reshaped = case(draw, batch, queries, keys, width)
    reshaped.call(
        reshaped.module, draw.normal(keys, width, width), draw.normal(keys, batch, width), return_as="second output"
    )
    again, weights = case(draw, batch, queries, keys, width), draw.weights(ENTRY, width)
    called_again(again, draw.normal(batch, queries, width), draw.normal(batch, keys, width), weights=weights)
    other_memory = case(draw, batch, queries, keys, width)
    memory = draw.normal(batch, keys, width)
    other_memory.call(other_memory.module, other_memory.inputs["x"], memory, return_as="the output for another memory")
    learner.agrees(
        case(draw, batch, queries, keys, width),
        case(draw, batch, keys, queries, width),
        case(draw, keys, width, batch, queries),
        reshaped,  # the same module once more, on other shapes
        again,
        other_memory,
        case(draw, batch, width, keys, width),  # a wrong axis may fit here
        case(draw, batch, queries, width, width),
        case(draw, 1, queries, keys, width),
        case(draw, batch, 1, keys, width),
        case(draw, batch, queries, 1, width),
        case(draw, batch, queries, keys, 1),
        case(draw, batch, queries, keys, width, dtype=torch.float64),
    )
    in_training = case(draw, batch, queries, keys, width, train=True)
    in_training.said = "in training"
    learner.agrees(in_training)  # no dropout here


@points(1.5, role="main")
def test_equal_lengths(learner, draw):
    """With as many tokens in memory as in x, where x and memory fit in each other's place, the result is right too."""
    batch, tokens, width = draw.distinct(3, 2, 9)
    weights, x = draw.weights(ENTRY, width), draw.normal(batch, tokens, width)
    learner.agrees(
        case(draw, batch, tokens, tokens, width),
        case(draw, width, width, width, width),
        case(draw, tokens, tokens, tokens, width),
        case(draw, batch, 1, 1, width),
        asked_with(weights, x, x),  # self-attention is the case where both are the same
    )


@points(0.75)
def test_equal_values_come_back(learner, draw):
    """When all values are the same, each output is that value: the weights of each query sum to 1."""
    batch, queries, keys, width = draw.distinct(4, 3, 8)
    weights = draw.weights(ENTRY, width)
    weights["linear_v.weight"] = torch.zeros(width, width)
    x, memory = draw.normal(batch, queries, width), draw.normal(batch, keys, width)
    output, _ = learner.outputs(
        asked_with(weights, x, memory),
        case(draw, batch, queries, keys, width),  # for the diagnosis: equal values hide what was done to them
    )
    expect(
        same(output, weights["linear_v.bias"].expand(batch, queries, width)),
        "With the same value for every token of memory, the output is not that value. Do the weights of each query sum to 1, "
        "and are they applied to the values?",
    )


@points(0.5, role="manners")
def test_order_of_memory_does_not_matter(learner, draw):
    """The tokens of memory in another order give the same output."""
    batch, queries, keys, width = draw.distinct(4, 3, 8)
    weights, x, memory = draw.weights(ENTRY, width), draw.normal(batch, queries, width), draw.normal(batch, keys, width)
    straight, mixed = learner.outputs(
        asked_with(weights, x, memory), asked_with(weights, x, memory[:, draw.order(keys)])
    )
    expect(
        same(mixed, straight),
        "With the tokens of memory in another order the output changes. Is there a mask, or does the softmax run over another "
        "axis than the keys?",
    )


@points(0.5, role="manners")
def test_each_token_asks_for_itself(learner, draw):
    """Another token in x never changes the output of the first, nor does another sequence of the batch."""
    batch, queries, keys, width = draw.distinct(4, 3, 8)
    weights, x, memory = draw.weights(ENTRY, width), draw.normal(batch, queries, width), draw.normal(batch, keys, width)
    other_x, other_memory = draw.normal(batch, queries, width), draw.normal(batch, keys, width)
    other_x[:, 0] = x[:, 0]
    other_memory[0] = memory[0]
    before, after, elsewhere = learner.outputs(
        asked_with(weights, x, memory), asked_with(weights, other_x, memory), asked_with(weights, x, other_memory)
    )
    expect(
        same(after[:, 0], before[:, 0]),
        "The first token's output changed although only other tokens of x did. Tokens of x ask memory, not each other.",
    )
    expect(
        same(elsewhere[0], before[0]),
        "The first sequence's output changed although only the memory of other sequences did. Look for a softmax or a transpose along the batch axis.",
    )


@points(1.25)
def test_gradients_reach_inputs_and_parameters(learner, draw):
    """Gradients reach x, memory and all three layers."""
    batch, queries, keys, width = draw.distinct(4, 2, 7)
    learner.agrees_in_gradients(case(draw, batch, queries, keys, width), case(draw, batch, queries, queries, width))


@points(0.5, role="manners")
def test_inputs_are_left_alone(learner, draw):
    """Neither x nor memory is changed."""
    learner.keeps_inputs(case(draw, 2, 3, 4, 5), case(draw, 2, 3, 3, 3))
