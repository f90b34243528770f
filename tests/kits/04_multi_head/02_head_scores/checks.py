import torch

from grader.judge.authoring import called_again, expect, function, points

AXES = "batch head token token"
DOCUMENTS_ROUNDING = 1e-4


def case(draw, batch, heads, tokens, width, dtype=torch.float32):
    return function("head_scores", draw.normal(batch, heads, tokens, width, dtype=dtype), names=["a"], axes=AXES)


@points(0.5, visible=True)
def test_documents_two_heads(learner):
    """The document's two heads of three tokens: head 0 begins 1.3208 1.1631 1.2879, head 1 begins .4391 .7003 .5903."""
    first = [[0.2745, 0.6584, 0.2775, 0.8573], [0.8993, 0.0390, 0.9268, 0.7388], [0.7179, 0.7058, 0.9156, 0.4340]]
    second = [[0.0772, 0.3565, 0.1479, 0.5331], [0.4066, 0.2318, 0.4545, 0.9737], [0.4606, 0.5159, 0.4220, 0.5786]]
    due = torch.tensor(
        [
            [[1.3208, 1.1631, 1.2879], [1.1631, 2.2150, 1.8424], [1.2879, 1.8424, 2.0402]],
            [[0.4391, 0.7003, 0.5903], [0.7003, 1.3737, 1.0620], [0.5903, 1.0620, 0.9912]],
        ]
    )
    (scores,) = learner.outputs(function("head_scores", torch.tensor([[first, second]]), names=["a"], axes=AXES))
    yours = [[round(score, 4) for score in scores[0, head, 0].tolist()] for head in range(2)]
    expect(
        torch.allclose(scores[0, :, 0], due[:, 0], rtol=0, atol=DOCUMENTS_ROUNDING),
        "In the document's example the first rows of the two heads should be [1.3208, 1.1631, 1.2879] and [0.4391, 0.7003, 0.5903]; "
        f"yours are {yours[0]} and {yours[1]}.",
    )
    expect(
        torch.allclose(scores[0], due, rtol=0, atol=DOCUMENTS_ROUNDING),
        "In the document's example the first row of each head is right, but another row is not.",
    )


@points(2.5, role="main")
def test_agrees_with_formula(learner, draw):
    """Entry (i, j) of a head is token i · token j, of the same head and the same sequence."""
    batch, heads, tokens, width = draw.distinct(4, 2, 8)
    side = draw.integer(3, 5)
    # square: a wrong axis fits here without an error, and tells by its numbers which one it was
    learner.agrees(*[case(draw, side, side, side, side) for _ in range(2)])
    learner.agrees(
        case(draw, batch, heads, tokens, width),
        case(draw, width, tokens, heads, batch),
        called_again(case(draw, batch, heads, tokens, width), draw.normal(batch, heads, tokens, width)),
        case(draw, batch, side, side, side),
        case(draw, batch, heads, side, side),
        case(draw, batch, side, side, width),
        case(draw, side, side, tokens, width),
        case(draw, batch, 1, tokens, width),
        case(draw, 1, heads, tokens, width),
        case(draw, batch, heads, 1, width),
        case(draw, batch, heads, tokens, 1),
        case(draw, 1, 1, 1, 1),
        case(draw, batch, heads, tokens, width, dtype=torch.float64),
    )


@points(0.5)
def test_gradients_reach_the_input(learner, draw):
    """Gradients flow back to a, from both sides of the product."""
    batch, heads, tokens, width = draw.distinct(4, 2, 6)
    learner.agrees_in_gradients(case(draw, batch, heads, tokens, width), case(draw, batch, heads, width, width))


@points(0.5, role="manners")
def test_input_is_left_alone(learner, draw):
    """The input a is not changed."""
    learner.keeps_inputs(case(draw, 2, 3, 4, 5), case(draw, 2, 3, 3, 3))
