import torch

from grader.judge.authoring import called_again, expect, function, points, same

WORDS = torch.tensor([[0.34, 0.22, 0.54], [0.53, 0.34, 0.98], [0.29, 0.54, 0.93]])
EXACT = torch.tensor([[0.393861, 0.378044, 0.843157], [0.398960, 0.385424, 0.860951], [0.394397, 0.389472, 0.860353]])
LEADING = ("batch", "heads")


def case(x):
    axes = " ".join([*LEADING[: x.dim() - 2], "words", "width"]) if x.dim() < 5 else ""
    return function("simplified_self_attention", x, names=["x"], axes=axes)


def words(draw, *shape, dtype=torch.float32):
    """Scores stay below 50, and small enough that each word looks at the others too."""
    return draw.normal(*shape, scale=0.7, dtype=dtype).clamp(-2, 2)


def narrow(draw, *shape):
    """One number a word, away from 0: else rounding would decide what is right."""
    return draw.uniform(*shape, low=0.5, high=2)


def six_places(rows):
    return [[round(number, 6) for number in row] for row in rows.tolist()]


@points(0.5, visible=True)
def test_three_words_example(learner):
    """The three words of "Hello shiny sun!" become the context vectors of HackTricks' example, "shiny" in the middle."""
    (result,) = learner.outputs(case(WORDS))
    expect(
        torch.allclose(result, EXACT, atol=1e-5),
        f"The three words should become {six_places(EXACT)}; yours are {six_places(result)}.",
    )


@points(1.5, role="main")
def test_agrees_with_formula(learner, draw):
    """The words of each sentence in a batch become softmax(XXᵀ)X, one sentence apart from the other."""
    batch, count, width = draw.distinct(3, 2, 8)
    size = draw.integer(3, 6)
    learner.agrees(
        case(words(draw, batch, count, width)),
        case(words(draw, count, width, batch)),
        called_again(case(words(draw, batch, count, width)), words(draw, batch, count, width)),
        case(words(draw, width, batch, count)),
        # square: a wrong axis fits here
        case(words(draw, size, size, size)),
        case(words(draw, batch, size, size)),
        case(words(draw, count, count, width)),
        case(words(draw, 1, count, width)),
        case(words(draw, batch, count, width, dtype=torch.float64)),
    )


@points(1.25, role="main")
def test_any_number_of_leading_axes(learner, draw):
    """Without a batch, or with batch and heads or more, each (n, d) is treated by itself."""
    batch, heads, count, width = draw.distinct(4, 2, 7)
    size = draw.integer(3, 5)
    learner.agrees(
        case(words(draw, count, width)),
        case(words(draw, width, count)),
        case(words(draw, size, size)),
        case(words(draw, batch, heads, count, width)),
        case(words(draw, size, size, size, size)),
        case(words(draw, batch, 1, count, width)),
        case(words(draw, 2, heads, 2, count, width)),
    )


@points(0.5, role="manners")
def test_one_word_or_one_number(learner, draw):
    """A word that is alone stays what it is; words of width 1 work too; axes of size 1 stay."""
    batch, count, width = draw.distinct(3, 2, 8)
    learner.agrees(
        case(words(draw, 1, width)),
        case(words(draw, batch, 1, width)),
        case(words(draw, 1, 1, width)),
        case(narrow(draw, count, 1)),
        case(narrow(draw, batch, count, 1)),
        case(narrow(draw, 1, 1)),
    )


@points(0.25, role="manners")
def test_order_of_the_words_does_not_matter(learner, draw):
    """Words in another order give the same vectors, in that order."""
    batch, count, width = draw.distinct(3, 2, 7)
    x, order = words(draw, batch, count, width), draw.order(count)
    straight, moved = learner.outputs(case(x), case(x[:, order].contiguous()))
    expect(
        same(moved, straight[:, order]),
        "The same words in another order gave other vectors. Nothing here depends on a word's place: is there a mask, or a row "
        "that is treated differently?",
    )


@points(0.75)
def test_gradients_reach_the_words(learner, draw):
    """Gradients flow back to x as query, as key and as value."""
    batch, count, width = draw.distinct(3, 2, 6)
    learner.agrees_in_gradients(
        case(words(draw, batch, count, width)),
        case(words(draw, count, width)),
        case(words(draw, batch, batch, width, count)),
    )


@points(0.25, role="manners")
def test_words_are_left_alone(learner, draw):
    """The tensor that was passed in is not changed."""
    learner.keeps_inputs(case(words(draw, 2, 4, 3)), case(words(draw, 4, 3)), case(words(draw, 3, 3)))
