import torch
from families.self_attention import ENTRY, agrees_with_formula, case, keeps_sequences_apart, of

from grader.judge.authoring import expect, points, same


@points(0.5, role="manners", visible=True)
def test_shape_of_the_documents_example(learner, draw):
    """MySelfAttention(64) turns (2, 100, 64) into (2, 100, 64)."""
    learner.outputs(case(draw, 2, 100, 64))


@points(4, role="main")
def test_agrees_with_formula(learner, draw):
    """The output is softmax(query · keyᵀ / √D) · value."""
    agrees_with_formula(learner, draw, is_long=True)


@points(1)
def test_equal_values_come_back(learner, draw):
    """When all values are the same, each output is that value: the weights of each query sum to 1."""
    batch, tokens, width = draw.distinct(3, 3, 8)
    weights = draw.weights(ENTRY, width)
    weights["linear_v.weight"] = torch.zeros(width, width)
    output, _ = learner.outputs(
        of(weights, draw.normal(batch, tokens, width)),
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
    weights = draw.weights(ENTRY, width)
    straight, mixed = learner.outputs(of(weights, x), of(weights, x[:, order]))
    expect(
        same(mixed, straight[:, order]),
        "With the tokens in another order, the outputs are not just in that other order. "
        "Is there a mask, or does the softmax run over another axis than the keys?",
    )


@points(0.5, role="manners")
def test_sequences_of_a_batch_are_separate(learner, draw):
    """Changing one sequence of the batch never changes the output of another."""
    keeps_sequences_apart(learner, draw)


@points(1)
def test_gradients_reach_input_and_parameters(learner, draw):
    """Gradients reach x and all three layers; in training the numbers are the same as in eval()."""
    batch, tokens, width = draw.distinct(3, 2, 7)
    learner.agrees_in_gradients(case(draw, batch, tokens, width), case(draw, batch, tokens, width, train=True))


@points(0.5, role="manners")
def test_input_is_left_alone(learner, draw):
    """The input x is not changed."""
    learner.keeps_inputs(case(draw, 2, 3, 4))
