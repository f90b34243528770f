import torch

from grader.judge.authoring import Case, expect, points, same

ENTRY = "apply_causal_mask"
AXES = ("batch", "head", "query", "key")
FLOOR = -3000.0
"""All numbers below it count as this one: whichever is filled in, answers that are equally good look the same."""


def axes_of(scores):
    return AXES[4 - scores.dim() :]


def through(scores, layer, *arguments):
    """What the learner returns, passed through a layer of the library."""
    case = Case(axes=axes_of(scores))
    result = case.call(case.entry(ENTRY), case.tensor(scores, name="attention_scores"))
    case.output = case.call(case.library_module(layer, *arguments), result, return_as="output")
    return case


def weights(scores):
    return through(scores, "Softmax", -1)


def masked(scores):
    case = through(scores, "Hardtanh", FLOOR, -FLOOR)
    case.is_random = True  # not all fills that are low enough lie below the floor
    return case


def shapes(draw):
    batch, heads, tokens = draw.distinct(3, 2, 7)
    return [
        (tokens, tokens),
        (batch, tokens, tokens),
        (batch, heads, tokens, tokens),
        (tokens, tokens, tokens),  # square: a wrong axis fits here
        (1, heads, tokens, tokens),
        (batch, 1, 1),
        (1, 1),
    ]


def keeps_visible_and_hides_the_rest(learner, inputs):
    outputs = learner.outputs(*map(masked, inputs))
    for came, scores in zip(outputs, inputs, strict=True):
        hidden = torch.ones(scores.shape, dtype=torch.bool).triu(1)
        total = came.numel()
        expect(
            not came.isnan().any(),
            f"The masked scores have NaN in {int(came.isnan().sum())} of {total} places.",
        )
        expect(
            same(came[~hidden], scores[~hidden]),
            "Scores on and below the diagonal are not what they were. The mask may change only what it hides.",
        )
        found = torch.softmax(came.float(), dim=-1)
        expect(
            bool((found[hidden] == 0).all()),
            f"After the softmax some later tokens still have weight, with scores up to ±{1000 if scores.abs().max() > 50 else 10}. "
            "Whatever is put in their place must be far below every score.",
        )


@points(0.5, visible=True)
def test_three_words(learner):
    """The softmax of the masked scores of three words has no NaN: .3606 .6394 0 for "shiny"."""
    scores = torch.tensor([[0.4556, 0.7842, 0.7196], [0.7842, 1.3569, 1.2487], [0.7196, 1.2487, 1.2406]])
    (found,) = learner.outputs(weights(scores))
    due = torch.tensor([[1.0, 0.0, 0.0], [0.3606, 0.6394, 0.0], [0.2283, 0.3874, 0.3843]])
    rows = [[round(weight, 4) for weight in row] for row in found.tolist()]
    expect(
        torch.allclose(found, due, atol=1e-4),
        f"The weights of the three words should be [[1, 0, 0], [.3606, .6394, 0], [.2283, .3874, .3843]]; yours are {rows}.",
    )


@points(1.5, role="main")
def test_fault_is_gone(learner, draw):
    """The fault is gone: the softmax of the result is finite, and no token gives weight to a later one."""
    inputs = [draw.normal(*shape, scale=2) for shape in shapes(draw)] + [draw.normal(2, 4, 4, dtype=torch.float64)]
    again = weights(inputs[1])
    second = again.call(again.entry(ENTRY), draw.normal(*inputs[1].shape, scale=2))
    again.call(again.library_module("Softmax", -1), second, return_as="the second output")
    again.said = "the function called twice, with other numbers of the same shape"
    learner.agrees(*map(weights, inputs), again)


@points(1, role="main")
def test_visible_scores_are_as_they_were(learner, draw):
    """The fault is gone: what may be seen has the score it had, in float32 and float64."""
    keeps_visible_and_hides_the_rest(learner, [draw.normal(*shape, scale=2) for shape in shapes(draw)])
    keeps_visible_and_hides_the_rest(learner, [draw.normal(*shape, dtype=torch.float64) for shape in shapes(draw)])


@points(0.5, role="main")
def test_scores_of_a_thousand(learner, draw):
    """With scores up to ±1000 too, the later tokens get a weight of exactly 0."""
    tokens = draw.integer(4, 7)
    size = draw.uniform(2, tokens, tokens, low=992, high=1000)
    later = torch.ones(tokens, tokens).triu(1).bool()
    spread = draw.uniform(3, tokens, tokens, low=-1000, high=1000)
    keeps_visible_and_hides_the_rest(
        learner, [torch.where(later, size, -size), torch.where(later, -size, size), spread, spread.double()]
    )


@points(0.5)
def test_gradients_still_flow(learner, draw):
    """Nothing else broke: through the softmax, gradients reach the visible scores."""
    batch, heads, tokens = draw.distinct(3, 2, 6)
    inputs = draw.normal(batch, tokens, tokens), draw.normal(batch, heads, tokens, tokens, dtype=torch.float64)
    learner.agrees_in_gradients(*map(weights, inputs))


@points(0.5, role="manners")
def test_scores_are_left_alone(learner, draw):
    """Nothing else broke: the scores that were passed in are not changed."""
    inputs = draw.normal(2, 4, 4), draw.normal(3, 3, dtype=torch.float64)
    learner.keeps_inputs(*map(weights, inputs))


@points(1.5, role="repair")
def test_repair_is_small(learner):
    """The repair is small: at most two lines out and two in."""
    learner.repaired_with(removed=2, added=2)
