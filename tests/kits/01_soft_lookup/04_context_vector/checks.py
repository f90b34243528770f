import torch

from grader.judge.authoring import called_again, expect, function, points

WORDS = torch.tensor([[0.34, 0.22, 0.54], [0.53, 0.34, 0.98], [0.29, 0.54, 0.93]])


def case(query, inputs):
    return function("context_vector", query, inputs, names=["query", "inputs"], axes="width")


def pair(draw, words, width, dtype=torch.float32):
    """Scores of both signs, far below 50: |query · word| is at most 2 · 2 · width."""
    return draw.normal(width, dtype=dtype).clamp(-2, 2), draw.normal(words, width, dtype=dtype).clamp(-2, 2)


def positive(draw, words, width):
    """For narrow inputs: a result next to 0 would leave it to rounding what is right."""
    return draw.normal(width).clamp(-2, 2), draw.uniform(words, width, low=0.5, high=3)


def six_places(numbers):
    return [round(number, 6) for number in numbers.tolist()]


@points(0.5, visible=True)
def test_shiny_example(learner):
    """The context vector of "shiny" in "Hello shiny sun!" is .398960 .385424 .860951."""
    (context,) = learner.outputs(case(WORDS[1], WORDS))
    due = torch.tensor([0.398960, 0.385424, 0.860951])
    expect(
        torch.allclose(context, due, atol=1e-5),
        f'The context vector of "shiny" should be {six_places(due)}; yours is {six_places(context)}. '
        "(The document's own numbers are rounded on the way.)",
    )


@points(2, role="main")
def test_agrees_with_formula(learner, draw):
    """The inputs are added up, each by the softmax of its dot product with the query."""
    words, width = draw.distinct(2, 2, 9)
    size = draw.integer(3, 6)
    query, inputs = pair(draw, words, width)
    learner.agrees(
        case(query, inputs),
        called_again(case(*pair(draw, words, width)), *pair(draw, words, width)),
        case(inputs[draw.integer(0, words - 1)], inputs),
        case(*pair(draw, width, words)),
        # square: a wrong axis fits here
        case(*pair(draw, size, size)),
        case(draw.uniform(width), draw.uniform(words, width)),
        case(*pair(draw, words, width, dtype=torch.float64)),
    )


@points(0.5, role="manners")
def test_one_word_or_one_number(learner, draw):
    """One word alone gives back itself, whatever the query; one number for each word is enough."""
    words, width = draw.distinct(2, 2, 9)
    learner.agrees(
        case(*pair(draw, 1, width)),
        case(*positive(draw, words, 1)),
        case(*positive(draw, 1, 1)),
    )


@points(0.75)
def test_gradients_reach_query_and_inputs(learner, draw):
    """Gradients flow back to query and inputs, through the weights too."""
    words, width = draw.distinct(2, 2, 7)
    learner.agrees_in_gradients(case(*pair(draw, words, width)), case(*pair(draw, width, words)))


@points(0.25, role="manners")
def test_inputs_are_left_alone(learner, draw):
    """Query and inputs are not changed."""
    learner.keeps_inputs(case(*pair(draw, 4, 3)), case(*pair(draw, 3, 3)), case(*pair(draw, 1, 5)))
