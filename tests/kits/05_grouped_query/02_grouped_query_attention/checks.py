from dataclasses import dataclass

import torch
from families.causal_modules import forgets_each_call

from grader.judge.authoring import expect, module, points, same

ENTRY = "GroupQueryAttention"
AXES = "batch tokens hidden_dim"
WIDEST_HEAD = 5
"""There are up to twelve heads, and each matrix is as wide and as high as all of them together."""


@dataclass(frozen=True)
class Sizes:
    """The sizes of one case: `kv` key/value heads serve `group` query heads each."""

    batch: int
    tokens: int
    kv: int
    group: int
    head_dim: int

    @property
    def init(self):
        heads = self.kv * self.group
        return heads * self.head_dim, heads, self.kv


def drawn_sizes(draw):
    """At least two key/value heads and two query heads for each, all sizes different."""
    kv, group = draw.distinct(2, 2, 4)
    free = [size for size in draw.distinct(7, 2, 8) if size not in (kv, group, kv * group)]
    head_dim = next(size for size in free if size <= WIDEST_HEAD)
    batch, tokens = [size for size in free if size != head_dim][:2]
    return Sizes(batch, tokens, kv, group, head_dim)


def case(draw, sizes, *, x=None, weights=None, dtype=torch.float32, train=False):
    if x is None:
        x = draw.normal(sizes.batch, sizes.tokens, sizes.init[0], dtype=dtype)
    asked = module(
        ENTRY,
        *sizes.init,
        weights=weights or draw.weights(ENTRY, *sizes.init),
        inputs={"X": x},
        axes=AXES,
        train=train,
        dtype=dtype,
        seed=draw.seed(),
    )
    if train:
        asked.said = "in training"
    return asked


@points(0.5, visible=True)
def test_shape_of_the_documents_example(learner, draw):
    """GroupQueryAttention(128, 8, 4) turns (3, 2, 128) into (3, 2, 128)."""
    learner.outputs(case(draw, Sizes(3, 2, 4, 2, 16)))


@points(6, role="main")
def test_agrees_with_formula(learner, draw):
    """Neighbouring query heads share a key and a value head; scale 1/√head_dim, softmax over the keys, then o_proj."""
    one, other = drawn_sizes(draw), drawn_sizes(draw)
    side = draw.integer(2, 3)
    learner.agrees(
        case(draw, one),
        case(draw, one),
        case(draw, other),
        # square: a wrong axis fits here without an error
        case(draw, Sizes(side, side, side, side, side)),
        case(draw, Sizes(other.batch, other.kv * other.group, other.kv, other.group, other.head_dim)),
        case(draw, Sizes(one.batch, one.tokens, one.kv, one.group, 1)),
        case(draw, Sizes(1, other.tokens, other.kv, other.group, other.head_dim)),
        case(draw, Sizes(other.batch, 1, other.kv, other.group, other.head_dim)),
        case(draw, Sizes(2, draw.integer(33, 48), 2, 3, 4)),
        case(draw, other, dtype=torch.float64),
    )


@points(1.5)
def test_multi_head_and_multi_query_are_special_cases(learner, draw):
    """As many key heads as query heads, a single key head, and a single head altogether work too."""
    sizes = drawn_sizes(draw)
    batch, tokens, head_dim, heads = sizes.batch, sizes.tokens, sizes.head_dim, sizes.group * 2
    learner.agrees(
        case(draw, Sizes(batch, tokens, heads, 1, head_dim)),
        case(draw, Sizes(batch, tokens, 1, heads, head_dim)),
        case(draw, Sizes(batch, tokens, 1, 1, head_dim)),
        case(draw, Sizes(batch, heads, heads, 1, heads)),
    )


@points(1, role="manners")
def test_every_token_sees_every_token(learner, draw):
    """Nothing is hidden: any token changes every output, and in another order the outputs are just in that other order."""
    sizes = drawn_sizes(draw)
    weights = draw.weights(ENTRY, *sizes.init)
    # with queries of 0 all tokens weigh the same, so that each is heard everywhere
    alike = {**weights, "q_proj.weight": torch.zeros_like(weights["q_proj.weight"])}
    alike["q_proj.bias"] = torch.zeros_like(weights["q_proj.bias"])
    x, order = draw.normal(sizes.batch, sizes.tokens, sizes.init[0]), draw.order(sizes.tokens)
    last = torch.cat([x[:, :-1], draw.normal(sizes.batch, 1, sizes.init[0])], dim=1)
    straight, mixed, before, after = learner.outputs(
        case(draw, sizes, x=x, weights=weights),
        case(draw, sizes, x=x[:, order], weights=weights),
        case(draw, sizes, x=x, weights=alike),
        case(draw, sizes, x=last, weights=alike),
    )
    expect(
        not any(same(after[:, i], before[:, i]) for i in range(sizes.tokens)),
        "The last token was changed, but some outputs stayed as they were. There is no mask here: every token sees every token.",
    )
    expect(
        same(mixed, straight[:, order]),
        "With the tokens in another order, the outputs are not just in that other order. Over which axis does the softmax run, and are "
        "heads and tokens swapped after the split and swapped back before the heads are joined?",
    )


@points(1)
def test_sizes_that_do_not_divide_are_refused(learner, draw):
    """hidden_dim must be divisible by nums_head, and nums_head by nums_key_value_head; other sizes are refused."""
    sizes = drawn_sizes(draw)
    hidden_dim, heads, kv = sizes.init
    learner.outputs(case(draw, sizes))
    learner.refuses(
        ENTRY,
        (hidden_dim + 1, heads, kv),
        (hidden_dim - 1, heads, kv),
        # here nums_key_value_head divides both, so that only hidden_dim against nums_head is wrong
        (20, 8, 4),
        (30, 12, 3),
        why="A hidden_dim that nums_head does not divide",
    )
    factor = draw.integer(1, 3)
    learner.refuses(
        ENTRY,
        # here hidden_dim is divisible by both, so that only nums_head against nums_key_value_head is wrong
        (60 * factor, 12, 5),
        (24 * factor, 6, 4),
        (16 * factor, 4, 8),
        (12 * factor, 12, 5),
        why="A nums_head that nums_key_value_head does not divide",
    )


@points(1)
def test_gradients_reach_input_and_parameters(learner, draw):
    """Gradients reach X and every parameter of all four layers; in training the numbers are the same as in eval()."""
    sizes = drawn_sizes(draw)
    learner.agrees_in_gradients(case(draw, sizes), case(draw, sizes, train=True))


@points(0.5)
def test_calls_of_one_module_do_not_disturb_each_other(learner, draw):
    """One module can be called for a long, a short, again the long input, and for others of the same size."""
    sizes = drawn_sizes(draw)
    forgets_each_call(learner, draw, case, sizes, (ENTRY, *sizes.init))


@points(0.5, role="manners")
def test_input_is_left_alone(learner, draw):
    """The input X is not changed."""
    learner.keeps_inputs(case(draw, drawn_sizes(draw)))
