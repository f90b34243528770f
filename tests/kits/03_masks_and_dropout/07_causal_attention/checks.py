from dataclasses import dataclass
from functools import partial

import torch
from families.causal_modules import (
    SEVEN,
    asked,
    forgets_each_call,
    future_has_no_say,
    has_a_bias_when_asked_for,
    has_mask_as_buffer,
    hides_later_tokens,
)
from families.dropped_weights import (
    TOKENS,
    drops_in_training_only,
    drops_single_weights,
    telling_input,
    telling_weights,
)
from families.loud import loud_weights

from grader.judge.authoring import expect, module, points

ENTRY = "CausalAttention"
AXES = "batch tokens d_out"


@dataclass(frozen=True)
class Sizes:
    """The sizes of one case; `spare` is how much longer context_length is than the input."""

    batch: int
    tokens: int
    d_in: int
    d_out: int
    spare: int = 0

    def init(self, dropout=0.0):
        return self.d_in, self.d_out, self.tokens + self.spare, dropout


def drawn_sizes(draw, spare=0):
    """All sizes different, none of them 1."""
    return Sizes(*draw.distinct(4, 2, 7), spare)


case = partial(asked, ENTRY, AXES)


@points(0.5, visible=True)
def test_documents_first_token(learner):
    """With the document's weights "Your" sees only itself, so its output is its value: -.4519 .2216."""
    journey = torch.tensor(
        [
            [0.43, 0.15, 0.89],
            [0.55, 0.87, 0.66],
            [0.57, 0.85, 0.64],
            [0.22, 0.58, 0.33],
            [0.77, 0.25, 0.10],
            [0.05, 0.80, 0.55],
        ]
    )
    weights = {
        "W_query.weight": torch.tensor([[-0.2354, 0.0191, -0.2867], [0.2177, -0.4919, 0.4232]]),
        "W_key.weight": torch.tensor([[-0.4196, -0.4590, -0.3648], [0.2615, -0.2133, 0.2161]]),
        "W_value.weight": torch.tensor([[-0.4900, -0.3503, -0.2120], [-0.1135, -0.4404, 0.3780]]),
    }
    batch = torch.stack([journey, journey])
    (came,) = learner.outputs(module(ENTRY, 3, 2, 6, 0.0, weights=weights, inputs={"x": batch}, axes=AXES))
    due, first = torch.tensor([-0.4519, 0.2216]), [round(number, 4) for number in came[0, 0].tolist()]
    expect(
        torch.allclose(came[:, 0], due.expand(2, 2), atol=2e-4),
        f"The output of the first token should be [-.4519, .2216], which is its own value; yours is {first}.",
    )


@points(3, role="main")
def test_agrees_with_formula(learner, draw):
    """The output is softmax(queries · keysᵀ / √d_out) · values, with every later token hidden."""
    one, other = drawn_sizes(draw), drawn_sizes(draw)
    side = draw.integer(3, 5)
    # square: a wrong axis fits here, and tells by its numbers which one it was
    learner.agrees(*[case(draw, Sizes(side, side, side, side)) for _ in range(2)])
    learner.agrees(
        case(draw, one),
        case(draw, one),
        case(draw, other),
        case(draw, Sizes(side, side, other.d_in, side)),
        case(draw, Sizes(one.batch, one.tokens, one.d_in, one.d_in)),
        case(draw, Sizes(one.batch, one.tokens, one.d_in, 1)),
        case(draw, Sizes(1, one.tokens, one.d_in, one.d_out)),
        case(draw, Sizes(one.batch, 1, one.d_in, one.d_out)),
        case(draw, other, dtype=torch.float64),
    )


@points(1.5, role="main")
def test_context_may_be_longer_than_the_input(learner, draw):
    """An input shorter than context_length uses the upper left corner of the mask."""
    sizes, more = drawn_sizes(draw, spare=draw.integer(1, 4)), drawn_sizes(draw, spare=1)
    learner.agrees(
        case(draw, sizes),
        case(draw, more),
        case(draw, Sizes(sizes.batch, 1, sizes.d_in, sizes.d_out, sizes.spare)),
    )


@points(1)
def test_future_has_no_say(learner, draw):
    """A later token never changes an earlier output; an earlier one changes every later output."""
    batch, d_in, d_out = draw.distinct(3, 2, 6)
    sizes = Sizes(batch, SEVEN, d_in, d_out)
    nan = "There is NaN in the output. Has every row of scores a place that is not hidden?"
    future_has_no_say(learner, draw, case, sizes, draw.weights(ENTRY, *sizes.init()), nan)


@points(0.5, role="manners")
def test_later_tokens_weigh_exactly_nothing(learner, draw):
    """Later tokens weigh exactly 0, even when their scores are far above the visible ones and their values are huge."""
    tokens, d_in, d_out = draw.distinct(3, 3, 6)
    sizes = Sizes(2, tokens, d_in, d_out)
    weights = loud_weights(draw.weights(ENTRY, *sizes.init()), "W_query", "W_key", "W_value", d_out)
    hides_later_tokens(learner, draw, case, sizes, weights)


@points(0.75)
def test_bias_when_asked_for(learner, draw):
    """With qkv_bias=True the three projections have a bias, with False they have none."""
    has_a_bias_when_asked_for(learner, draw, case, drawn_sizes)


@points(1)
def test_dropout_acts_in_training_only(learner, draw):
    """In eval() nothing is dropped; in training p = 1 drops every weight and leaves zeros."""
    drops_in_training_only(learner, partial(case, draw, drawn_sizes(draw)))


@points(1)
def test_dropout_acts_on_the_weights(learner, draw):
    """In training each single weight is dropped with probability p, or else divided by 1 - p."""
    sizes = Sizes(32, TOKENS, 2 * TOKENS + 1, 2 * TOKENS)
    weights = telling_weights(draw.weights(ENTRY, *sizes.init()), "W_value")
    x = telling_input(sizes.batch, sizes.d_in)
    drops_single_weights(learner, partial(case, draw, sizes, x=x, weights=weights))


@points(0.75)
def test_gradients_reach_input_and_parameters(learner, draw):
    """Gradients reach x and every parameter of all three layers."""
    learner.agrees_in_gradients(case(draw, drawn_sizes(draw, spare=1)), case(draw, drawn_sizes(draw), qkv_bias=True))


@points(0.75)
def test_calls_of_one_module_do_not_disturb_each_other(learner, draw):
    """One module can be called for a long, a short, again the long input, and for others of the same size."""
    sizes = drawn_sizes(draw, spare=2)
    forgets_each_call(learner, draw, case, sizes, (ENTRY, *sizes.init()))


@points(0.75, role="manners")
def test_mask_is_a_buffer(learner, draw):
    """The mask is a buffer of the module, under the name `mask`."""
    has_mask_as_buffer(learner, case(draw, drawn_sizes(draw)))


@points(0.5, role="manners")
def test_input_is_left_alone(learner, draw):
    """The input x is not changed."""
    learner.keeps_inputs(case(draw, drawn_sizes(draw)))
