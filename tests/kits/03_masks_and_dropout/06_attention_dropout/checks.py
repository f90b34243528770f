"""Random results are judged at six sigma or more, and here and there at less than one failure in 10^9 right answers.

Where a right answer can be boiled down to a number without chance in it (the largest of all weights, say), that is asked
first: so wrong answers are recognised whichever way they draw their random numbers.
"""

import math
from collections.abc import Mapping

import torch

from grader.judge.authoring import Case, called_again, expect, function, points, same

ENTRY = "attention_dropout"
AXES = ("batch", "head", "query", "key")
SIGMAS = 6.0
SIGMAS_OF_SPREAD = 7.5
SHAPE = (6, 4, 20, 16)
LIBRARY = frozenset(
    {
        "dropout",
        "dropout_",
        "dropout1d",
        "dropout2d",
        "dropout3d",
        "alpha_dropout",
        "alpha_dropout_",
        "feature_dropout",
        "feature_dropout_",
        "feature_alpha_dropout",
        "feature_alpha_dropout_",
        "native_dropout",
        "_fused_dropout",
        "scaled_dot_product_attention",
        "multi_head_attention_forward",
    }
)


def case(draw, weights, *arguments, **keywords):
    axes = AXES[4 - weights.dim() :] if weights.dim() <= 4 else ()
    asked = function(ENTRY, weights, *arguments, names=["weights"], axes=" ".join(axes), **keywords)
    asked.seed = draw.seed()
    return asked


def random_case(draw, weights, p, **keywords):
    asked = case(draw, weights, p, **keywords)
    asked.is_random = True
    return asked


def boiled_down(draw, shape, p, *layers, training=True):
    """Drop among ones, and pass the result through layers of the library that leave a single number."""
    asked = Case(seed=draw.seed())
    modes = () if training else (False,)
    result = asked.call(asked.entry(ENTRY), asked.tensor(torch.ones(shape), name="weights"), p, *modes)
    for name, *arguments in layers[:-1]:
        result = asked.call(asked.library_module(name, *arguments), result)
    name, *arguments = layers[-1]
    asked.output = asked.call(asked.library_module(name, *arguments), result, return_as="output")
    return asked


def expect_growth(learner, draw, shape, p):
    """The largest result among ones is 1 / (1 - p)."""
    (largest,) = learner.outputs(boiled_down(draw, shape, p, ("AdaptiveMaxPool3d", 1)))
    expect(not largest.isnan().any(), "There is NaN among the weights after the dropout.")
    expect(
        same(largest, torch.full_like(largest, 1 / (1 - p))),
        "The weights that are kept do not have the right size: in training they are divided by 1 - p, and by nothing else.",
    )


def emptied(draw, p, over):
    """50 when some of the parts that `over` sums up have lost all of their weights, else next to nothing."""
    shape = (1, 32, 12, 32)
    return boiled_down(
        draw,
        shape,
        p,
        ("Hardtanh", 0.0, 0.01),
        ("AdaptiveMaxPool3d", over),
        ("Threshold", 0.005, 50.0),
        ("AdaptiveMaxPool3d", 1),
    )


def expect_nothing_dropped_in_evaluation(learner, draw):
    """With training=False not one of many ones becomes 0, whichever way an answer draws its random numbers."""
    shape, p = (1, 8, 12, 10), chance(draw, 0.4, 0.6)
    (largest,) = learner.outputs(
        boiled_down(
            draw,
            shape,
            p,
            ("Hardtanh", 0.0, 0.01),
            ("Threshold", 0.005, 50.0),
            ("AdaptiveMaxPool3d", 1),
            training=False,
        )
    )
    expect(
        largest.item() < 1,
        "With training=False some weights are 0. In evaluation nothing is dropped: they stay as they are.",
    )


def rounded(numbers):
    return [round(number, 4) for number in numbers.tolist()]


def chance(draw, low, high):
    """A probability with two decimals."""
    return draw.integer(round(100 * low), round(100 * high)) / 100


def expect_share(kept, p, where=""):
    """The share of what is kept is 1 - p, up to six sigma."""
    allowed = SIGMAS * math.sqrt(p * (1 - p) / kept.numel())
    expect(
        abs(float(kept.double().mean()) - (1 - p)) < allowed,
        f"The wrong share of the weights is dropped{where}: each should be dropped with probability p and kept with 1 - p, whatever its size.",
    )


def spread(counts, size, p):
    """How many sigmas the counts of kept weights in groups of `size` vary too much (or, negative, too little)."""
    groups = counts.numel()
    squares = ((counts.double() - size * (1 - p)) ** 2 / (size * p * (1 - p))).sum()
    # a sum of squares like this one is nearly normal after a cubic root (Wilson and Hilferty)
    return (float(squares / groups) ** (1 / 3) - (1 - 2 / (9 * groups))) / math.sqrt(2 / (9 * groups))


def expect_independent(counts, size, p, message):
    expect(abs(spread(counts, size, p)) < SIGMAS_OF_SPREAD, message)


def expect_by_hand(learner, draw):
    """The names of torch's functions that were called tell a library dropout that the source doesn't show."""
    asked = random_case(draw, torch.ones(2, 3, 8, 8), chance(draw, 0.2, 0.8))
    functions = asked.observed("functions")
    for name in sorted(LIBRARY):
        asked.call(functions, name, method="__contains__", return_as=f"calls {name}")
    (answer,) = learner.ask(asked)
    used = [name for name in sorted(LIBRARY) if answer[f"calls {name}"] is not False]
    expect(not used, f"The library's `{''.join(used[:1])}` is not allowed here: {learner.forbidden_reason}.")


@points(0.5, visible=True)
def test_three_weights(learner, draw):
    """With p = 0.5 each of the weights .2291 .4063 .3646 is either 0 or doubled; in evaluation all stay as they are."""
    weights = torch.tensor([0.2291, 0.4063, 0.3646])
    in_evaluation, *in_training = learner.outputs(
        case(draw, weights, 0.5, training=False), *[random_case(draw, weights, 0.5) for _ in range(40)]
    )
    expect(
        torch.equal(in_evaluation, weights),
        f"With training=False the weights should stay as they are; {rounded(in_evaluation)} came back.",
    )
    for came in in_training:
        right = (came == 0) | ((came - 2 * weights).abs() < 1e-6)
        expect(
            right.all(),
            f"With p = 0.5 each weight should become 0 or twice itself (.4582 .8126 .7292); {rounded(came)} came back.",
        )
    expect(any((came == 0).any() for came in in_training), "With p = 0.5 not one of 120 weights was dropped.")
    expect_by_hand(learner, draw)


@points(1, role="main")
def test_each_weight_is_dropped_by_itself(learner, draw):
    """In training, and only there, each element is dropped with probability p, by itself: not with its row, column, head or sequence."""
    expect_nothing_dropped_in_evaluation(learner, draw)
    p = chance(draw, 0.35, 0.4)
    rows, columns = learner.outputs(emptied(draw, p, (None, None, 1)), emptied(draw, p, (1, 1, None)))
    expect(not rows.isnan().any() and not columns.isnan().any(), "There is NaN among the weights after the dropout.")
    expect(
        rows.item() < 1, "Whole rows of weights are dropped at once. Each single weight is dropped or kept by itself."
    )
    expect(columns.item() < 1, "Whole columns are dropped at once. Each single weight is dropped or kept by itself.")

    for p in (chance(draw, 0.2, 0.4), chance(draw, 0.6, 0.8)):
        came, again = learner.outputs(*[random_case(draw, torch.ones(SHAPE), p) for _ in range(2)])
        kept = came > 0
        expect_share(kept, p)
        expect(
            not torch.equal(kept, again > 0),
            "Two calls drop exactly the same weights. Draw new random numbers in each call (is a seed set inside the function?).",
        )
        for axis, name in enumerate(AXES):
            expect_independent(
                kept.sum(axis),
                SHAPE[axis],
                p,
                f"The weights along the {name} axis are not dropped independently of each other. Draw a random number for each single "
                "weight: as many as the whole tensor has.",
            )
        expect_independent(
            kept.sum((2, 3)),
            SHAPE[2] * SHAPE[3],
            p,
            "From head to head the number of dropped weights differs too much or too little. Draw a random number for each single weight: as many as "
            "the whole tensor has.",
        )
    p = chance(draw, 0.4, 0.6)
    calls = learner.outputs(*[random_case(draw, torch.ones(8, 12), p) for _ in range(60)])
    expect_independent(
        torch.stack([(came > 0).sum() for came in calls]),
        96,
        p,
        "The number of dropped weights varies too much or too little from call to call. Draw a new random number for each single weight in each "
        "call, and drop those below p: neither a fixed number of them nor all together.",
    )
    expect_by_hand(learner, draw)


@points(1.75, role="main")
def test_kept_weights_grow(learner, draw):
    """In training what is kept is divided by 1 - p, whatever its size; the dtype stays."""
    shape = (1, 32, 12, 1)
    for p in (chance(draw, 0.35, 0.45), chance(draw, 0.55, 0.65)):
        expect_growth(learner, draw, shape, p)  # rows of one weight: dividing a row by its sum shows
    expect_growth(learner, draw, (1, 8, 12, 10), chance(draw, 0.3, 0.4))

    for dtype, p in ((torch.float32, chance(draw, 0.2, 0.4)), (torch.float64, chance(draw, 0.5, 0.7))):
        weights = draw.uniform(*SHAPE, low=0.2, high=1.0, dtype=dtype)
        (came,) = learner.outputs(random_case(draw, weights, p))
        kept = came != 0
        expect(
            same(came, torch.where(kept, weights / (1 - p), 0)),
            "In training each element should be either 0 or its weight divided by 1 - p.",
        )
        light = weights < 0.6
        expect_share(kept[light], p, " among the small ones")
        expect_share(kept[~light], p, " among the large ones")
    expect_by_hand(learner, draw)


@points(0.75, role="main")
def test_nothing_and_everything(learner, draw):
    """In training p = 0 leaves every weight as it is, and p = 1 makes plain zeros, without NaN."""
    shapes = [(2, 3, 2, 4), (3, 5), (4,)]
    learner.agrees(
        *[case(draw, draw.uniform(*shape, low=0.1), p) for shape in shapes for p in (0.0, 1.0)],
        case(draw, draw.uniform(2, 3, dtype=torch.float64), 1.0),
        case(draw, draw.uniform(2, 3, low=0.1), 1.0, training=True),
        case(draw, draw.uniform(1, 1, low=0.1), 0.0, True),
    )
    expect_by_hand(learner, draw)


@points(1, role="manners")
def test_evaluation_changes_nothing(learner, draw):
    """With training=False every weight stays as it is, whatever p."""
    for probabilities in ((1.0,), (0.0, 0.1, 0.5, 0.9)):
        learner.agrees(
            *[case(draw, draw.uniform(2, 3, 4, 5, low=0.1), p, training=False) for p in probabilities],
            *[case(draw, draw.uniform(4, 4, low=0.1, dtype=torch.float64), p, False) for p in probabilities],
        )
    again = case(draw, draw.uniform(3, 4, low=0.1), 0.5, training=False)
    learner.agrees(called_again(again, draw.uniform(3, 4, low=0.1), 0.5))


@points(0.5)
def test_gradients_reach_the_weights(learner, draw):
    """Gradients flow to the weights that are kept, grown like these, and to all of them in evaluation."""
    learner.agrees_in_gradients(
        case(draw, draw.uniform(2, 3, 4), 0.4, training=False),
        case(draw, draw.uniform(3, 4, 5, dtype=torch.float64), 0.0),
    )
    p = chance(draw, 0.3, 0.6)
    for dtype in (torch.float32, torch.float64):
        weights = draw.uniform(4, 5, 6, low=0.2, high=1.0, dtype=dtype)
        weighting = draw.uniform(4, 5, 6, low=0.5, high=1.0, dtype=dtype)
        asked = random_case(draw, weights, p)
        asked.gradients([weighting])
        (came,) = learner.outputs(asked)
        gradients = learner.exchanges[-1].answers[0]["gradients"]
        gradient = gradients.get("weights") if isinstance(gradients, Mapping) else None
        expect(
            isinstance(gradient, torch.Tensor),
            "No gradient reaches `weights`: it is cut off (detach, .data, no_grad, a new tensor).",
        )
        expect(
            same(gradient, weighting * came / weights),
            "The gradient of `weights` is not right: it should be 1 / (1 - p) where a weight was kept and 0 where it was dropped.",
        )
    expect_by_hand(learner, draw)


@points(0.5, role="manners")
def test_weights_are_left_alone(learner, draw):
    """The weights that were passed in are not changed."""
    weights = [draw.uniform(2, 3, 4, low=0.1, dtype=dtype) for dtype in (torch.float32, torch.float64)]
    learner.keeps_inputs(
        *[random_case(draw, each, p) for each in weights for p in (0.5, 0.3)],
        *[case(draw, each, 1.0) for each in weights],
        *[case(draw, each, 0.5, training=False) for each in weights],
    )
