import torch

from grader.judge.authoring import expect, function, points


def case(num_heads, num_tokens):
    return function("alibi_bias", num_heads, num_tokens, axes="head query key")


@points(0.5, visible=True)
def test_one_head_and_three_tokens(learner):
    """alibi_bias(1, 3) has the slope 2^-8 = 1/256: below the diagonal -1/256 and -2/256, on it 0, above it -inf."""
    (output,) = learner.outputs(case(1, 3))
    inf = torch.inf
    due = torch.tensor([[[0, -inf, -inf], [-1, 0, -inf], [-2, -1, 0]]]) / 256
    rows = (output[0] * 256).tolist()
    expect(
        torch.allclose(output, due, atol=1e-6),
        f"Times 256 the rows should be [0, -inf, -inf], [-1, 0, -inf], [-2, -1, 0]; yours are {rows}.",
    )


@points(2.5, role="main")
def test_agrees_with_formula(learner, draw):
    """Head k = 1 … h takes 2^(-8k/h) off for each token of distance; later keys get minus infinity."""
    tokens = draw.distinct(3, 5, 15)
    learner.agrees(
        case(8, tokens[0]),
        case(4, tokens[1]),
        case(2, tokens[2]),
        # square: a wrong axis fits here without an error
        case(8, 8),
        case(4, 4),
        case(2, 2),
        case(16, draw.integer(3, 12)),
        case(32, draw.integer(3, 6)),
        case(2, draw.integer(130, 150)),
    )


@points(0.5)
def test_one_head_or_one_token(learner, draw):
    """One head has the slope 2^-8; a single token gets 0 in every head."""
    learner.agrees(case(1, draw.integer(4, 9)), case(8, 1), case(1, 1), case(2, 1))


@points(0.5, role="manners")
def test_the_softmax_of_it_is_causal(learner, draw):
    """Added to scores, it leaves a softmax of the visible keys only, of which nearer ones weigh more."""
    heads, tokens = 4, draw.integer(5, 9)
    (bias,) = learner.outputs(case(heads, tokens))
    weights = torch.softmax(bias, dim=-1)
    later = torch.ones(tokens, tokens).triu(diagonal=1).bool()
    expect(
        not weights.isnan().any() and not weights[:, later].any(),
        "After a softmax, later keys still have a weight, or there is NaN. The bias of later keys is minus infinity, that of the token itself 0.",
    )
    last = weights[:, -1]
    expect(
        bool((last.diff(dim=-1) > 0).all()),
        "For the last query, a nearer key should weigh more than one farther back, in every head.",
    )
