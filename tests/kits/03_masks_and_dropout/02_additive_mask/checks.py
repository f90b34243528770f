import torch

from grader.judge.authoring import expect, function, points

INFINITY = float("inf")


def case(max_seq_len):
    return function("additive_mask", max_seq_len, axes="batch query key")


@points(0.5, visible=True)
def test_four_tokens(learner):
    """The mask of four tokens is (1, 4, 4), with -inf in the six places above the diagonal and 0 in the others."""
    (mask,) = learner.outputs(case(4))
    due = torch.tensor([[[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]]]).bool()
    expect(
        torch.equal(mask, torch.zeros(1, 4, 4).masked_fill(due, -INFINITY)),
        f"additive_mask(4) should be 0 on and below the diagonal and -inf above it; yours is {mask.tolist()}.",
    )


@points(3.5, role="main")
def test_hides_exactly_the_later_tokens(learner, draw):
    """For any length: minus infinity where a key comes after the query, 0 everywhere else, shape (1, n, n)."""
    learner.agrees(case(2), *[case(size) for size in draw.distinct(4, 3, 16)], case(150))


@points(0.5, role="manners")
def test_softmax_of_the_sum_is_causal(learner, draw):
    """Added to the scores of a batch and cut to their length, it leaves a softmax without NaN that sees no later token."""
    batch, tokens, longer = draw.distinct(3, 2, 9)
    tokens, longer = sorted((tokens, longer))
    (mask,) = learner.outputs(case(longer))
    weights = torch.softmax(draw.normal(batch, tokens, tokens) + mask[:, :tokens, :tokens], dim=-1)
    expect(
        not weights.isnan().any(),
        "After scores + mask the softmax has NaN. Is there a NaN in the mask (0 times infinity), or a row without a visible place?",
    )
    expect(
        torch.equal(weights > 0, torch.ones_like(weights).tril().bool()),
        "After scores + mask and the softmax, each token should see itself and the earlier ones, and give the later ones exactly 0.",
    )


@points(0.5, role="manners")
def test_one_token_sees_itself(learner):
    """A single token has a mask of shape (1, 1, 1) that hides nothing."""
    learner.agrees(case(1))
