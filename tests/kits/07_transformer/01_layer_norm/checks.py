import torch

from grader.judge.authoring import expect, function, points

NAMES = ("x", "weight", "bias")
AXES = ("batch", "head", "tokens", "width")


def of(x, weight, bias, **options):
    return function("layer_norm", x, weight, bias, names=NAMES, axes=" ".join(AXES[4 - x.dim() :]), **options)


def rows(draw, *shape, scale=2.0):
    """Rows that lie away from 0, each at a place of its own and of a size of its own.

    None is small beside its mean: there the mean of the squares less the square of the mean, a right way, is rounding only.
    """
    x = draw.normal(*shape)
    x = x - x.mean(-1, keepdim=True)
    size = draw.uniform(*shape[:-1], 1, low=0.75, high=1.5) / x.square().mean(-1, keepdim=True).sqrt().clamp(min=1e-12)
    return scale * (x * size + 0.75 * draw.normal(*shape[:-1], 1))


def case(draw, *shape, scale=2.0, dtype=torch.float32, **options):
    x, weight, bias = rows(draw, *shape, scale=scale), draw.normal(shape[-1]), draw.normal(shape[-1])
    return of(x.to(dtype), weight.to(dtype), bias.to(dtype), **options)


@points(0.5, visible=True)
def test_four_numbers_by_hand(learner):
    """1, 1, 5, 5 have the mean 3 and the variance 4; with weight 1, 2, 1, 2 and bias 0, 0, 10, 10: -1, -2, 11, 12."""
    weight, bias = torch.tensor([1.0, 2.0, 1.0, 2.0]), torch.tensor([0.0, 0.0, 10.0, 10.0])
    (output,) = learner.outputs(of(torch.tensor([1.0, 1.0, 5.0, 5.0]), weight, bias))
    numbers = [round(number, 4) for number in output.tolist()]
    expect(
        torch.allclose(output, torch.tensor([-1.0, -2.0, 11.0, 12.0]), atol=1e-3),
        f"The result should be -1, -2, 11, 12; yours is {numbers}.",
    )


@points(1.75, role="main")
def test_agrees_with_formula(learner, draw):
    """Each row is normed by itself along the last axis, then weight and bias follow, for any leading axes."""
    batch, heads, tokens, width = draw.distinct(4, 2, 9)
    side = draw.integer(3, 5)
    again = case(draw, batch, tokens, width)
    others = rows(draw, batch, tokens, width), draw.normal(width), draw.normal(width)
    again.call(again.entry("layer_norm"), *others, return_as="the output for others of the same shape")
    learner.agrees(
        again,
        case(draw, batch, tokens, width),
        case(draw, tokens, width),
        case(draw, width + 1),
        case(draw, batch, heads, tokens, width),
        # square: a wrong axis fits here without an error
        case(draw, side, side),
        case(draw, side, side, side),
        case(draw, side, side, side, side),
        case(draw, batch, width, width),
        case(draw, 1, 1, width),
        case(draw, batch, tokens, 2),
        case(draw, batch, tokens, 1),
        case(draw, batch, draw.integer(17, 40), 48),
        case(draw, batch, tokens, width, dtype=torch.float64),
    )


@points(0.75, role="main")
def test_eps_stands_under_the_root(learner, draw):
    """`eps` is added to the variance before the root is taken, the one that is passed in or else 1e-5."""
    batch, tokens, width = draw.distinct(3, 2, 8)
    learner.agrees(
        case(draw, batch, tokens, width, eps=0.5),
        case(draw, tokens, width, eps=float(draw.integer(1, 9))),
        case(draw, batch, tokens, width, eps=0.05, dtype=torch.float64),
        # rows so small that 1e-5 is a part of the whole
        case(draw, batch, tokens, width, scale=0.005),
        case(draw, tokens, width, scale=0.002),
    )


@points(0.25)
def test_a_constant_row_gives_the_bias(learner, draw):
    """Where all numbers of a row are alike there is nothing to stretch: what is left is the bias."""
    batch, tokens, width = draw.distinct(3, 2, 8)
    x = torch.arange(float(batch * tokens)).view(batch, tokens, 1) - 3
    weight, bias = draw.normal(width), draw.normal(width)
    mixed = rows(draw, batch, tokens, width)
    mixed[:, 0] = 2.0
    learner.agrees(
        of(x.expand(batch, tokens, width), weight, bias), of(torch.zeros(width), weight, bias), of(mixed, weight, bias)
    )


@points(0.5)
def test_gradients_reach_x_weight_and_bias(learner, draw):
    """Gradients flow back to x, also through mean and variance, to weight and to bias."""
    learner.agrees_in_gradients(case(draw, 3, 4, 5), case(draw, 6, 3, eps=0.3, dtype=torch.float64))


@points(0.25, role="manners")
def test_inputs_are_left_alone(learner, draw):
    """The tensors that were passed in are not changed."""
    learner.keeps_inputs(case(draw, 3, 4, 5), case(draw, 6))
