from dataclasses import dataclass, replace
from functools import partial

import torch
from families.causal_modules import asked, has_a_bias_when_asked_for, hides_later_tokens
from families.dropped_weights import (
    TOKENS,
    drops_in_training_only,
    drops_single_weights,
    telling_input,
    telling_weights,
)
from families.loud import loud_weights

from grader.judge.authoring import called_again, expect, module, points, same

ENTRY = "MultiHeadAttentionWrapper"
AXES = "batch tokens d_out·num_heads"


@dataclass(frozen=True)
class Sizes:
    """The sizes of one case; `spare` is how much longer context_length is than the input."""

    batch: int
    tokens: int
    d_in: int
    d_out: int
    heads: int
    spare: int = 0

    def init(self, dropout=0.0):
        return self.d_in, self.d_out, self.tokens + self.spare, dropout, self.heads


def drawn_sizes(draw, spare=0):
    """All sizes different; d_out is no multiple of the number of heads."""
    heads = draw.integer(2, 4)
    d_out = heads * draw.integer(1, 2) + 1
    rest = [size for size in draw.distinct(7, 2, 9) if size not in (heads, d_out)]
    return Sizes(*rest[:3], d_out, heads, spare)


case = partial(asked, ENTRY, AXES)


@points(0.5, visible=True)
def test_two_heads_on_equal_tokens(learner, draw):
    """On two tokens (1, 1) the values are (3, 7) in head 0 and (11, 15) in head 1, so each row is 3, 7, 11, 15."""
    weights = draw.weights(ENTRY, 2, 2, 5, 0.0, num_heads=2)
    weights["heads.0.W_value.weight"] = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    weights["heads.1.W_value.weight"] = torch.tensor([[5.0, 6.0], [7.0, 8.0]])
    x = torch.ones(1, 2, 2)
    (came,) = learner.outputs(module(ENTRY, 2, 2, 5, 0.0, num_heads=2, weights=weights, inputs={"x": x}, axes=AXES))
    due = torch.tensor([[[3.0, 7.0, 11.0, 15.0]] * 2])
    expect(
        torch.allclose(came, due, atol=1e-4),
        f"Each of the two rows should be [3, 7, 11, 15]; yours are {[[round(n, 4) for n in row] for row in came[0].tolist()]}.",
    )


@points(2, role="main")
def test_heads_stand_side_by_side(learner, draw):
    """The columns are those of head 0, then those of head 1, and so on, each head with its own weights."""
    one, other = drawn_sizes(draw), drawn_sizes(draw)
    side = draw.integer(2, 4)
    learner.agrees(
        case(draw, one),
        case(draw, one),
        case(draw, other),
        case(draw, Sizes(side, side, side, side, side)),  # square: heads joined along another axis are found here
        case(draw, Sizes(other.batch, other.tokens, other.d_in, other.d_in, other.heads)),
        case(draw, Sizes(one.batch, one.tokens, one.d_in, one.heads, one.heads)),
        case(draw, Sizes(one.batch, one.tokens, one.d_in, 2 * one.heads, one.heads)),
        case(draw, Sizes(one.batch, one.tokens, one.d_in, one.d_out, 1)),
        case(draw, Sizes(one.batch, one.tokens, one.d_in, 1, one.heads)),
        case(draw, Sizes(1, one.tokens, one.d_in, one.d_out, one.heads)),
        case(draw, Sizes(one.batch, 1, one.d_in, one.d_out, one.heads)),
        case(draw, other, dtype=torch.float64),
    )


def later_tokens_are_too_loud(learner, draw, sizes):
    """The heads are given, but they may be changed, or written anew."""
    sizes = replace(sizes, d_in=max(sizes.d_in, 3))
    weights = draw.weights(ENTRY, *sizes.init())
    for head in range(sizes.heads):
        layers = [f"heads.{head}.{name}" for name in ("W_query", "W_key", "W_value")]
        weights = loud_weights(weights, *layers, sizes.d_out)
    hides_later_tokens(learner, draw, case, sizes, weights)


@points(0.5, role="main")
def test_each_head_has_its_own_columns(learner, draw):
    """Other weights for one head change the columns of that head, and no other column."""
    sizes = drawn_sizes(draw)
    weights = draw.weights(ENTRY, *sizes.init())
    fresh = draw.weights(ENTRY, *sizes.init())
    changed = draw.integer(0, sizes.heads - 1)
    mixed = {name: (fresh if name.startswith(f"heads.{changed}.") else weights)[name] for name in weights}
    x = draw.normal(sizes.batch, sizes.tokens, sizes.d_in)
    before, after = learner.outputs(case(draw, sizes, x=x, weights=weights), case(draw, sizes, x=x, weights=mixed))
    for head in range(sizes.heads):
        columns = slice(head * sizes.d_out, (head + 1) * sizes.d_out)
        stays = same(after[..., columns], before[..., columns])
        if head == changed:
            expect(not stays, "The weights of one head were changed, but its columns stayed as they were.")
        else:
            expect(stays, "The weights of one head were changed, and columns of another head changed with them.")
    later_tokens_are_too_loud(learner, draw, sizes)


@points(0.5)
def test_context_may_be_longer_than_the_input(learner, draw):
    """context_length reaches the heads: shorter inputs work as well, in any order of calls, and so do others of the same size."""
    longer = case(draw, drawn_sizes(draw, spare=draw.integer(1, 4)))
    sizes = drawn_sizes(draw, spare=2)
    again = case(draw, sizes)
    again.call(again.module, draw.normal(sizes.batch + 1, sizes.tokens + 1, sizes.d_in), return_as="the second output")
    again.call(again.module, again.inputs["x"], return_as="the third output")
    same_size, x = case(draw, sizes), draw.normal(sizes.batch, sizes.tokens, sizes.d_in)
    learner.agrees(longer, again, called_again(same_size, x, weights=draw.weights(ENTRY, *sizes.init())))


@points(0.5)
def test_bias_when_asked_for(learner, draw):
    """With qkv_bias=True every head's three projections have a bias, with False they have none."""
    has_a_bias_when_asked_for(learner, draw, case, drawn_sizes)


@points(0.5)
def test_dropout_acts_in_training_only(learner, draw):
    """In eval() nothing is dropped; in training p = 1 drops every weight of every head and leaves zeros."""
    drops_in_training_only(learner, partial(case, draw, drawn_sizes(draw)))


@points(0.5)
def test_dropout_acts_on_the_weights_of_each_head(learner, draw):
    """In training each weight of each head is dropped by itself with probability p, or else divided by 1 - p."""
    sizes = Sizes(16, TOKENS, 2 * TOKENS + 1, 2 * TOKENS, heads=3)
    weights = telling_weights(draw.weights(ENTRY, *sizes.init()), "W_value")
    x = telling_input(sizes.batch, sizes.d_in)
    drops_single_weights(learner, partial(case, draw, sizes, x=x, weights=weights), heads=sizes.heads)


@points(0.5)
def test_gradients_reach_input_and_every_head(learner, draw):
    """Gradients reach x and every parameter of every head."""
    learner.agrees_in_gradients(case(draw, drawn_sizes(draw, spare=1)), case(draw, drawn_sizes(draw), qkv_bias=True))


@points(0.5, role="manners")
def test_input_is_left_alone(learner, draw):
    """The input x is not changed."""
    learner.keeps_inputs(case(draw, drawn_sizes(draw)))
