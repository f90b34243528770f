import torch

from grader.judge.authoring import Case, expect, points, same

ENTRY = "apply_padding_mask"
AXES = ("batch", "head", "query", "key")
NAMES = ("scores", "attention_mask")
FLOOR = -3000.0
"""All numbers below it count as this one: whichever is filled in, answers that are equally good look the same."""


def through(inputs, layer, *arguments):
    """What the learner returns, passed through a layer of the library."""
    case = Case(axes=AXES)
    handed_in = [case.tensor(value, name=name) for name, value in zip(NAMES, inputs, strict=True)]
    result = case.call(case.entry(ENTRY), *handed_in)
    case.output = case.call(case.library_module(layer, *arguments), result, return_as="output")
    return case


def weights(scores, mask):
    return through((scores, mask), "Softmax", -1)


def masked(scores, mask):
    case = through((scores, mask), "Hardtanh", FLOOR, -FLOOR)
    case.is_random = True  # not all fills that are low enough lie below the floor
    return case


def agrees_in_weights(learner, inputs):
    learner.agrees(*[weights(*each) for each in inputs])


def padded(draw, batch, keys, dtype=torch.int64, left=None):
    """1 for tokens, 0 for padding: one row full (when there are several), the others padded at one of their ends."""
    mask = torch.ones(batch, keys, dtype=torch.int64)
    full = draw.integer(0, batch - 1) if batch > 1 else -1
    for row in range(batch):
        count = draw.integer(1, keys - 1) if keys > 1 and row != full else 0
        at_left = bool(draw.integer(0, 1)) if left is None else left
        if count:
            mask[row, slice(0, count) if at_left else slice(keys - count, keys)] = 0
    return mask.to(dtype)


def pair(draw, batch, heads, queries, keys, dtype=torch.float32, mask_dtype=torch.int64, left=None):
    return draw.normal(batch, heads, queries, keys, scale=2, dtype=dtype), padded(draw, batch, keys, mask_dtype, left)


def pairs(draw):
    batch, heads, queries, keys = draw.distinct(4, 2, 7)
    side = draw.integer(3, 5)
    return [
        pair(draw, batch, heads, queries, keys),
        pair(draw, batch, heads, keys, keys),
        pair(draw, batch, heads, batch, keys),
        pair(draw, side, side, side, side),  # square: a mask on a wrong axis fits here
        pair(draw, side, heads, side, side),
        pair(draw, 1, heads, queries, keys),
        pair(draw, batch, 1, queries, keys),
        pair(draw, batch, heads, 1, keys),
        pair(draw, batch, heads, 1, 1),
    ]


def extremes(draw, dtype):
    """Scores of ±1000: padding far above the tokens, far below them, and everything mixed."""
    batch, heads, queries, keys = draw.distinct(4, 2, 6)
    found = []
    for at_padding, at_token in ((1, -1), (-1, 1)):
        mask = padded(draw, batch, keys)
        size = draw.uniform(batch, heads, queries, keys, low=992, high=1000)
        found.append((torch.where(mask[:, None, None].bool(), at_token * size, at_padding * size).to(dtype), mask))
    spread = draw.uniform(batch, heads, queries, keys, low=-1000, high=1000, dtype=dtype)
    return [*found, (spread, padded(draw, batch, keys))]


def keeps_tokens_and_hides_padding(learner, inputs):
    outputs = learner.outputs(*[masked(*each) for each in inputs])
    for came, (scores, mask) in zip(outputs, inputs, strict=True):
        seen = mask.bool()[:, None, None, :].expand_as(scores)
        found = torch.softmax(came.float(), dim=-1)
        expect(
            not came.isnan().any(),
            f"The masked scores have NaN in {int(came.isnan().sum())} of {came.numel()} places. That comes from 0 times infinity, or "
            "from infinity minus infinity.",
        )
        expect(
            same(came[seen], scores[seen]),
            "Scores of keys that are tokens are not what they were. The mask may change nothing but the padding's scores, whichever "
            "query asks.",
        )
        expect(
            bool((found[~seen] == 0).all()),
            "After the softmax, keys that are padding still have weight. Their scores must become minus infinity, or a number far below "
            "every score, in each sequence by its own row of `attention_mask`.",
        )


@points(0.5, visible=True)
def test_one_key_of_padding(learner):
    """Of three keys the last is padding: the softmax of the masked scores gives .2689 .7311 0 to both queries."""
    scores = torch.tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]])
    mask = torch.tensor([[1, 1, 0]])
    (found,) = learner.outputs(weights(scores, mask))
    due = torch.tensor([0.2689, 0.7311, 0.0]).expand(1, 1, 2, 3)
    rows = [[round(weight, 4) for weight in row] for row in found[0, 0].tolist()]
    expect(
        torch.allclose(found, due, atol=1e-4),
        f"After the softmax both queries should have the weights [.2689, .7311, 0]; yours are {rows}.",
    )


@points(2, role="main")
def test_padding_has_no_weight(learner, draw):
    """After the softmax, every query of a sequence gives its padding 0 and shares the whole among the tokens."""
    side = draw.integer(3, 5)
    # all sizes alike: whichever axis a mask is put on fits here, and tells by its numbers which one it was
    agrees_in_weights(learner, [pair(draw, side, side, side, side) for _ in range(2)])
    agrees_in_weights(learner, pairs(draw))
    # another time with everything of the same shape, but other padding
    batch, heads, queries, keys = draw.distinct(4, 2, 7)
    again = weights(*pair(draw, batch, heads, queries, keys, left=True))
    second = again.call(again.entry(ENTRY), *pair(draw, batch, heads, queries, keys, left=False))
    again.call(again.library_module("Softmax", -1), second, return_as="the second output")
    again.said = "the function called twice, with other numbers of the same shape"
    learner.agrees(again)


@points(1, role="main")
def test_tokens_keep_their_scores(learner, draw):
    """The scores of keys that are tokens are what they were, in float32 and float64."""
    keeps_tokens_and_hides_padding(learner, pairs(draw))
    keeps_tokens_and_hides_padding(learner, [pair(draw, 2, 3, 4, 5, dtype=torch.float64) for _ in range(3)])


@points(0.75)
def test_any_kind_of_mask_on_either_side(learner, draw):
    """The mask may hold integers, booleans or floats, and the padding may be on the left or on the right."""
    batch, heads, queries, keys = draw.distinct(4, 2, 7)
    kinds = (torch.int64, torch.bool, torch.float32, torch.int32)
    inputs = [
        pair(draw, batch, heads, queries, keys, mask_dtype=kind, left=left) for kind in kinds for left in (True, False)
    ]
    inputs.append(pair(draw, batch, heads, queries, keys, dtype=torch.float64, mask_dtype=torch.float64))
    agrees_in_weights(learner, inputs)


@points(0.75)
def test_half_precision_and_large_scores(learner, draw):
    """float16 works too, and with scores up to ±1000 the padding still weighs exactly 0."""
    kinds = (torch.int64, torch.bool, torch.float32)
    halves = [pair(draw, 2, 3, 4, 5, dtype=torch.float16, mask_dtype=kind) for kind in kinds]
    agrees_in_weights(learner, halves)
    keeps_tokens_and_hides_padding(learner, halves)
    for dtype in (torch.float32, torch.float64, torch.float16):
        keeps_tokens_and_hides_padding(learner, extremes(draw, dtype))


@points(0.5)
def test_gradients_reach_the_scores(learner, draw):
    """Through the softmax, gradients flow back to the tokens' scores."""
    inputs = [pair(draw, 2, 3, 4, 5), pair(draw, 3, 2, 5, 4, dtype=torch.float64)]
    learner.agrees_in_gradients(*[weights(*each) for each in inputs])


@points(0.5, role="manners")
def test_scores_and_mask_are_left_alone(learner, draw):
    """The scores and the mask that were passed in are not changed."""
    kinds = (torch.int64, torch.bool, torch.float32)
    inputs = [pair(draw, 2, 3, 4, 5, mask_dtype=kind) for kind in kinds]
    learner.keeps_inputs(*[weights(*each) for each in inputs])
