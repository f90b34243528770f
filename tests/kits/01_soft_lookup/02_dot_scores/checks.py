import torch

from grader.judge.authoring import called_again, expect, function, points

WORDS = torch.tensor([[0.34, 0.22, 0.54], [0.53, 0.34, 0.98], [0.29, 0.54, 0.93]])


def case(query, inputs):
    return function("dot_scores", query, inputs, names=["query", "inputs"], axes="words")


def pair(draw, words, width, dtype=torch.float32):
    """Scores of size 1 or more, the first one negative: next to 0, rounding would decide what is right."""
    query, inputs = draw.normal(width, dtype=dtype), draw.normal(words, width, dtype=dtype)
    if inputs[0] @ query > 0:
        inputs[0] = -inputs[0]
    sign = torch.where(inputs @ query < 0, -1.0, 1.0).to(dtype)
    return query, inputs + sign[:, None] * query / (query @ query)


@points(0.5, visible=True)
def test_shiny_example(learner):
    """The words of "Hello shiny sun!" score .7842 1.3569 1.2487 against "shiny"."""
    (scores,) = learner.outputs(case(WORDS[1], WORDS))
    due = torch.tensor([0.7842, 1.3569, 1.2487])
    expect(
        torch.allclose(scores, due, atol=1e-5),
        f'Against "shiny" the three words should score .7842 1.3569 1.2487; yours are {[round(s, 4) for s in scores.tolist()]}.',
    )


@points(1.25, role="main")
def test_agrees_with_formula(learner, draw):
    """Each score is the dot product of the query with one row of the inputs; the query need not be one of them."""
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


@points(0.5)
def test_one_word_or_one_number(learner, draw):
    """One word still gives a tensor of one score, and words of width 1 work too."""
    words, width = draw.distinct(2, 2, 9)
    learner.agrees(
        case(*pair(draw, 1, width)),
        case(*pair(draw, words, 1)),
        case(*pair(draw, 1, 1)),
    )


@points(0.5)
def test_gradients_reach_query_and_inputs(learner, draw):
    """Gradients flow back to query and inputs."""
    words, width = draw.distinct(2, 2, 7)
    learner.agrees_in_gradients(
        case(*pair(draw, words, width)), case(*pair(draw, width, words)), case(*pair(draw, 1, width))
    )


@points(0.25, role="manners")
def test_inputs_are_left_alone(learner, draw):
    """Query and inputs are not changed."""
    learner.keeps_inputs(case(*pair(draw, 4, 3)), case(*pair(draw, 3, 3)), case(*pair(draw, 1, 5)))
