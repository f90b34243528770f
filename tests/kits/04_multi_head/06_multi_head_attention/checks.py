from dataclasses import dataclass, replace
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

from grader.judge.authoring import module, points

ENTRY = "MultiHeadAttention"
AXES = "batch tokens d_out"


@dataclass(frozen=True)
class Sizes:
    """The sizes of one case; `spare` is how much longer context_length is than the input."""

    batch: int
    tokens: int
    d_in: int
    heads: int
    head_dim: int
    spare: int = 0

    def init(self, dropout=0.0):
        return self.d_in, self.heads * self.head_dim, self.tokens + self.spare, dropout, self.heads


def drawn_sizes(draw, spare=0):
    """All sizes different, d_out among them."""
    heads, head_dim = draw.distinct(2, 2, 4)
    taken = (heads, head_dim, heads * head_dim)
    batch, tokens, d_in = [size for size in draw.distinct(7, 2, 8) if size not in taken][:3]
    return Sizes(batch, tokens, d_in, heads, head_dim, spare)


case = partial(asked, ENTRY, AXES)


@points(0.5, visible=True)
def test_shape_of_the_documents_example(learner, draw):
    """MultiHeadAttention(3, 2, 6, 0.0, num_heads=2) turns (2, 6, 3) into (2, 6, 2)."""
    weights = draw.weights(ENTRY, 3, 2, 6, 0.0, num_heads=2)
    x = draw.uniform(2, 6, 3)
    learner.outputs(module(ENTRY, 3, 2, 6, 0.0, num_heads=2, weights=weights, inputs={"x": x}, axes=AXES))


@points(3.5, role="main")
def test_agrees_with_formula(learner, draw):
    """Every head attends for itself with scale 1/√head_dim, sees no later token, and out_proj joins them."""
    one, other = drawn_sizes(draw), drawn_sizes(draw)
    side = draw.integer(2, 4)
    learner.agrees(
        case(draw, one),
        case(draw, one),
        case(draw, other),
        # square: a wrong axis fits here without an error
        case(draw, Sizes(side, side, side * side, side, side)),
        case(draw, Sizes(other.batch, other.heads, other.head_dim, other.heads, other.head_dim)),
        case(draw, Sizes(other.batch, other.tokens, other.heads * other.head_dim, other.heads, other.head_dim)),
        case(draw, Sizes(one.batch, one.tokens, one.d_in, 1, one.head_dim)),
        case(draw, Sizes(one.batch, one.tokens, one.d_in, one.heads, 1)),
        case(draw, Sizes(1, one.tokens, one.d_in, one.heads, one.head_dim)),
        case(draw, Sizes(one.batch, 1, one.d_in, one.heads, one.head_dim)),
        case(draw, Sizes(2, draw.integer(33, 48), 5, 2, 3)),
        case(draw, other, dtype=torch.float64),
    )


@points(1.5, role="main")
def test_context_may_be_longer_than_the_input(learner, draw):
    """An input shorter than context_length uses the upper left corner of the mask."""
    sizes, more = drawn_sizes(draw, spare=draw.integer(1, 4)), drawn_sizes(draw, spare=1)
    learner.agrees(
        case(draw, sizes),
        case(draw, more),
        case(draw, Sizes(sizes.batch, 1, sizes.d_in, sizes.heads, sizes.head_dim, sizes.spare)),
    )


@points(1.5)
def test_future_has_no_say(learner, draw):
    """A later token never changes an earlier output; an earlier one changes every later output."""
    batch, d_in, heads, head_dim = draw.distinct(4, 2, 6)
    sizes = Sizes(batch, SEVEN, d_in, heads, head_dim)
    future_has_no_say(learner, draw, case, sizes, draw.weights(ENTRY, *sizes.init()))
    sizes = replace(sizes, d_in=max(sizes.d_in, 3))
    weights = loud_weights(draw.weights(ENTRY, *sizes.init()), "W_query", "W_key", "W_value", sizes.head_dim)
    hides_later_tokens(learner, draw, case, sizes, weights)


@points(1)
def test_bias_when_asked_for(learner, draw):
    """With qkv_bias=True the three projections have a bias, with False they have none."""
    has_a_bias_when_asked_for(learner, draw, case, drawn_sizes)


@points(1.5)
def test_dropout_acts_in_training_only(learner, draw):
    """In eval() nothing is dropped; in training p = 1 drops every weight and leaves the bias of out_proj."""
    drops_in_training_only(learner, partial(case, draw, drawn_sizes(draw)))


@points(1)
def test_dropout_acts_on_the_weights(learner, draw):
    """In training each single weight is dropped with probability p, or else divided by 1 - p."""
    sizes = Sizes(16, TOKENS, 16, 4, 2 * TOKENS)
    weights = telling_weights(draw.weights(ENTRY, *sizes.init()), "W_value")
    x = telling_input(sizes.batch, sizes.d_in)
    drops_single_weights(learner, partial(case, draw, sizes, x=x, weights=weights), heads=sizes.heads)


@points(1)
def test_sizes_that_do_not_divide_are_refused(learner, draw):
    """A d_out that num_heads does not divide is refused; one that it divides is not."""
    d_in, heads = draw.distinct(2, 3, 6)
    head_dim = draw.integer(2, 4)
    learner.agrees(case(draw, Sizes(2, 3, d_in, heads, head_dim)))
    learner.refuses(
        ENTRY,
        (d_in, heads * head_dim + 1, 5, 0.0, heads),
        (heads, heads * head_dim - 1, 5, 0.0, heads),
        why="A d_out that num_heads does not divide",
    )


@points(1)
def test_gradients_reach_input_and_parameters(learner, draw):
    """Gradients reach x and every parameter of all four layers."""
    learner.agrees_in_gradients(case(draw, drawn_sizes(draw, spare=1)), case(draw, drawn_sizes(draw), qkv_bias=True))


@points(0.5)
def test_calls_of_one_module_do_not_disturb_each_other(learner, draw):
    """One module can be called for a long, a short, again the long input, and for others of the same size."""
    sizes = drawn_sizes(draw, spare=2)
    forgets_each_call(learner, draw, case, sizes, (ENTRY, *sizes.init()))


@points(0.5, role="manners")
def test_mask_is_a_buffer(learner, draw):
    """The mask is a buffer of the module, under the name `mask`."""
    has_mask_as_buffer(learner, case(draw, drawn_sizes(draw)))


@points(0.5, role="manners")
def test_input_is_left_alone(learner, draw):
    """The input x is not changed."""
    learner.keeps_inputs(case(draw, drawn_sizes(draw)))
