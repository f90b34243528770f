import torch
from families.drawn import drawn_mask

from grader.judge.authoring import called_again, expect, function, points

HALVES = (torch.float16, torch.bfloat16)


def case(scores, mask):
    axes = ("batch", "head", "query", "key")[4 - scores.dim() :]
    return function("masked_softmax", scores, mask, names=["scores", "mask"], axes=" ".join(axes))


def mask_of(draw, tokens, size):
    """Every row of the corner that is used has a visible place; the rest of the mask is anything."""
    mask = draw.uniform(size, size) < 0.5
    mask[:tokens, :tokens] = drawn_mask(draw, tokens, tokens)
    return mask


def moderate(draw, *shape, size=0, dtype=torch.float32):
    mask = mask_of(draw, shape[-1], size or shape[-1])
    return case(draw.normal(*shape, scale=2, dtype=dtype), mask)


def extremes(draw, batch, tokens, dtype):
    """(scores, mask) pairs with scores of ±1000: hidden far above visible, far below, and everything mixed."""
    pairs = []
    for hidden_at, visible_at in ((1, -1), (-1, 1)):
        mask = drawn_mask(draw, tokens, tokens)
        size = draw.uniform(batch, tokens, tokens, low=992, high=1000)
        pairs.append((torch.where(mask, hidden_at * size, visible_at * size).to(dtype), mask))
    spread = draw.uniform(batch, tokens, tokens, low=-1000, high=1000, dtype=dtype)
    pairs.append((spread, drawn_mask(draw, tokens, tokens)))
    return pairs


def holds_at_extremes(learner, draw, dtypes):
    """The weights of extreme scores, at the precision that float32 leaves them.

    One rounding of a score near 1000 moves a weight by about 6e-5, so the usual allowance, which follows from the inputs,
    would be too strict for a row with one clear winner and too wide for float16.
    """
    batch, tokens = draw.distinct(2, 3, 7)
    pairs = [pair for dtype in dtypes for pair in extremes(draw, batch, tokens, dtype)]
    outputs = learner.outputs(*[case(*pair) for pair in pairs])
    for weights, (scores, mask) in zip(outputs, pairs, strict=True):
        said = f"With {str(scores.dtype).removeprefix('torch.')} scores of ±1000"
        due = torch.softmax(scores.double().masked_fill(mask, -torch.inf), dim=-1)
        allowed = 8 * max(torch.finfo(scores.dtype).eps, 1000 * torch.finfo(torch.float32).eps)
        expect(
            not weights.isnan().any(),
            f"{said} there is NaN among the weights. That comes from 0/0, infinity minus infinity, or 0 times infinity.",
        )
        expect(
            bool(((weights.double() - due).abs() <= allowed).all()),
            f"{said} the weights are not right. Mask the scores before the softmax, with minus infinity or a number far below every score, and "
            "compute in float32.",
        )
        expect(
            bool((weights[..., mask] == 0).all()),
            f"{said} the hidden places weigh little, but they must weigh exactly 0. Is a small number added to the weights, or is "
            "the number filled in not far enough below every score?",
        )


def is_computed_in_float32(learner, draw, batch, tokens):
    """One rounding, at the end, moves a weight by half a unit in the last place; one at every step moves it further."""
    pairs = [
        (
            draw.uniform(batch, 8 * tokens, 8 * tokens, low=-5, high=5).to(dtype),
            drawn_mask(draw, 8 * tokens, 8 * tokens),
        )
        for dtype in HALVES
    ]
    for weights, (scores, mask) in zip(learner.outputs(*[case(*pair) for pair in pairs]), pairs, strict=True):
        due = torch.softmax(scores.double().masked_fill(mask, -torch.inf), dim=-1)
        allowed = 0.75 * torch.finfo(scores.dtype).eps * due + 1e-7
        expect(
            bool(((weights.double() - due).abs() <= allowed).all()),
            f"The {str(scores.dtype).removeprefix('torch.')} weights are nearly right, but they were rounded on the way. Go to float32 "
            "before the softmax, and back only at the end.",
        )


@points(0.5, visible=True)
def test_three_words(learner):
    """With the later words hidden, "shiny" looks at "Hello" and itself: .3606 .6394 0."""
    scores = torch.tensor([[0.4556, 0.7842, 0.7196], [0.7842, 1.3569, 1.2487], [0.7196, 1.2487, 1.2406]])
    mask = torch.tensor([[False, True, True], [False, False, True], [False, False, False]])
    (weights,) = learner.outputs(case(scores, mask))
    due = torch.tensor([[1.0, 0.0, 0.0], [0.3606, 0.6394, 0.0], [0.2283, 0.3874, 0.3843]])
    rows = [[round(weight, 4) for weight in row] for row in weights.tolist()]
    expect(
        torch.allclose(weights, due, atol=1e-4),
        f"The weights of the three words should be [[1, 0, 0], [.3606, .6394, 0], [.2283, .3874, .3843]]; yours are {rows}.",
    )


@points(2, role="main")
def test_agrees_with_formula(learner, draw):
    """Each row is a softmax over its visible places; the hidden ones weigh 0. Any leading axes, any pattern of the mask."""
    batch, heads, tokens = draw.distinct(3, 2, 7)
    causal = torch.ones(tokens, tokens).triu(1).bool()
    one_visible = torch.ones(tokens, tokens).bool()
    one_visible[torch.arange(tokens), draw.order(tokens)] = False
    scores = [draw.normal(batch, tokens, tokens, scale=2) for _ in range(4)]
    learner.agrees(
        moderate(draw, tokens, tokens),
        moderate(draw, batch, tokens, tokens),
        moderate(draw, batch, heads, tokens, tokens),
        moderate(draw, tokens, tokens, tokens),  # square: a wrong axis fits here
        called_again(moderate(draw, batch, tokens, tokens), scores[0], drawn_mask(draw, tokens, tokens)),
        moderate(draw, batch, heads, tokens, tokens, dtype=torch.float64),
        moderate(draw, 1, heads, tokens, tokens),
        moderate(draw, batch, 1, 1),
        moderate(draw, 1, 1),
        case(scores[0], causal),
        case(scores[1], causal.T),
        case(scores[2], torch.zeros(tokens, tokens).bool()),
        case(scores[3], one_visible),
    )


@points(1, role="main")
def test_uses_the_upper_left_corner_of_a_larger_mask(learner, draw):
    """A mask that is larger than the scores is cut down to its upper left corner."""
    batch, heads, tokens = draw.distinct(3, 2, 6)
    size = tokens + draw.integer(1, 5)
    learner.agrees(
        moderate(draw, tokens, tokens, size=size),
        moderate(draw, batch, tokens, tokens, size=size),
        moderate(draw, batch, heads, tokens, tokens, size=size),
        moderate(draw, batch, heads, tokens, tokens, size=tokens + 1),
        moderate(draw, batch, 1, 1, size=size),
    )


@points(2, role="main")
def test_hidden_weigh_nothing_at_scores_of_a_thousand(learner, draw):
    """With scores of ±1000 the hidden places weigh exactly 0, and the visible ones share the whole."""
    holds_at_extremes(learner, draw, (torch.float32, torch.float64))


@points(1.5)
def test_half_precision(learner, draw):
    """float16 and bfloat16 scores give weights of the same dtype, and what is hidden weighs exactly 0 there too."""
    batch, tokens = draw.distinct(2, 3, 7)
    learner.agrees(*[moderate(draw, batch, tokens, tokens, dtype=dtype) for dtype in HALVES])
    holds_at_extremes(learner, draw, HALVES)
    is_computed_in_float32(learner, draw, batch, tokens)


@points(0.5)
def test_gradients_reach_the_scores(learner, draw):
    """Gradients flow back to the visible scores, and none to the hidden ones."""
    batch, heads, tokens = draw.distinct(3, 2, 6)
    learner.agrees_in_gradients(
        moderate(draw, batch, tokens, tokens),
        moderate(draw, batch, heads, tokens, tokens, dtype=torch.float64),
    )


@points(0.5, role="manners")
def test_scores_and_mask_are_left_alone(learner, draw):
    """The scores and the mask that were passed in are not changed."""
    learner.keeps_inputs(*[moderate(draw, 2, 4, 4, dtype=dtype) for dtype in (torch.float32, torch.float64)])
