from dataclasses import dataclass

import torch
from families.loud import LOW, ends_loudly
from families.texts import Texts

from grader.judge.authoring import points

ENTRY = "DecoderAttention"
TEXTS = Texts(ENTRY)


@dataclass(frozen=True)
class Sizes:
    """The sizes of one case: `kv` key/value heads serve `group` query heads each; `head_dim` is even."""

    batch: int
    kv: int
    group: int
    head_dim: int

    @property
    def width(self):
        return self.kv * self.group * self.head_dim

    @property
    def init(self):
        return self.width, self.kv * self.group, self.kv


def drawn_sizes(draw):
    """At least two key/value heads and two query heads for each, all sizes different."""
    kv, group = draw.distinct(2, 2, 3)
    head_dim = draw.shuffled((4, 8))[0]
    batch = next(size for size in draw.distinct(5, 2, 7) if size not in (kv, group, kv * group, head_dim))
    return Sizes(batch, kv, group, head_dim)


@points(0.5, visible=True)
def test_shape_of_one_pass(learner, draw):
    """DecoderAttention(16, 4, 2) turns x of shape (3, 5, 16) into a pair (out, cache), where out is (3, 5, 16)."""
    sizes = Sizes(3, 2, 2, 4)
    TEXTS.returns_pairs(learner, draw, sizes)
    learner.outputs(TEXTS.one_pass(draw, sizes, 5))


@points(4, role="main")
def test_one_pass_agrees_with_formula(learner, draw):
    """Without a cache: turned queries and keys, neighbouring query heads share a key head, later tokens hidden, o_proj."""
    sizes, other = drawn_sizes(draw), drawn_sizes(draw)
    learner.agrees(
        TEXTS.one_pass(draw, sizes, 5),
        TEXTS.one_pass(draw, other, 7),
        # square: a wrong axis fits here without an error
        TEXTS.one_pass(draw, Sizes(2, 2, 2, 2), 2),
        TEXTS.one_pass(draw, Sizes(4, 2, 2, 4), 4),
        TEXTS.one_pass(draw, other, other.kv * other.group),
        TEXTS.one_pass(draw, other, other.head_dim),
        TEXTS.one_pass(draw, Sizes(1, sizes.kv, sizes.group, sizes.head_dim), 6),
        TEXTS.one_pass(draw, Sizes(sizes.batch, 2, 3, 2), 6),
        TEXTS.one_pass(draw, sizes, 1),
        TEXTS.one_pass(draw, Sizes(2, 2, 1, 4), draw.integer(70, 100)),
        TEXTS.one_pass(draw, sizes, 4, train=True),
        TEXTS.one_pass(draw, other, 5, dtype=torch.float64),
    )


@points(3, role="main")
def test_chunks_give_what_one_pass_gives(learner, draw):
    """However a text is cut into chunks, each chunk's out is that part of one pass over the whole text."""
    sizes, other = drawn_sizes(draw), drawn_sizes(draw)
    learner.agrees(
        TEXTS.in_chunks(draw, sizes, [3, 2]),
        TEXTS.in_chunks(draw, sizes, [2, 4, 3]),
        TEXTS.in_chunks(draw, other, [1, 1, 1, 1, 1]),
        TEXTS.in_chunks(draw, other, [4, 1, 1, 3]),
        TEXTS.in_chunks(draw, sizes, [draw.integer(1, 4) for _ in range(4)]),
        TEXTS.in_chunks(draw, Sizes(2, 2, 2, 2), [2, 2, 2]),
        TEXTS.in_chunks(draw, Sizes(1, sizes.kv, sizes.group, sizes.head_dim), [2, 1, 3]),
        # longer than any room that was set aside for a few tokens
        TEXTS.in_chunks(draw, other, [20, 1, 17]),
        TEXTS.in_chunks(draw, other, [3, 2, 2], dtype=torch.float64),
    )


@points(1)
def test_multi_head_and_multi_query_are_special_cases(learner, draw):
    """As many key heads as query heads, a single key head, and a single head altogether work too, in one pass and in chunks."""
    sizes = drawn_sizes(draw)
    for one in (Sizes(sizes.batch, 4, 1, 4), Sizes(sizes.batch, 1, 4, 4), Sizes(sizes.batch, 1, 1, sizes.head_dim)):
        learner.agrees(TEXTS.one_pass(draw, one, 5), TEXTS.in_chunks(draw, one, [2, 3]))


@points(1)
def test_a_cache_can_be_used_again(learner, draw):
    """A cache stays as it was: different continuations can start from it, and nothing is kept from call to call."""
    sizes = drawn_sizes(draw)
    branching = TEXTS.branching(draw, sizes)

    by_turns = TEXTS.reader(draw, sizes)
    for train in (False, True):
        by_turns.mode(train=train)
        mode = "in training" if train else "in eval()"
        caches = [
            by_turns.read(TEXTS.text(draw, sizes, 3), return_as=f"text {number} {mode}", name=f"text {number} {mode}")
            for number in range(2)
        ]
        for number, cache in enumerate(caches):
            end = f"the end of text {number} {mode}"
            by_turns.read(TEXTS.text(draw, sizes, 2), cache, return_as=end, name=end)
    learner.agrees(branching, by_turns)


def loud(draw, sizes, tokens, high):
    """Weights, and texts in which the last token scores about `high` and all others about LOW; its value is none, or huge."""
    weights = draw.weights(ENTRY, *sizes.init)
    # the last pair of a head hardly turns at all: places 0 and 1 of x are read by queries and keys into it, 2 by the values
    slow = sizes.head_dim // 2 - 1
    for name, column, size in (("q_proj.weight", 0, LOW * sizes.head_dim**0.5), ("k_proj.weight", 1, 1.0)):
        weights[name].zero_()
        weights[name][slow :: sizes.head_dim, column] = size
    weights["v_proj.weight"][:, :2] = 0.0
    return weights, ends_loudly(TEXTS.text(draw, sizes, tokens), high)


@points(0.5, role="manners")
def test_later_tokens_weigh_exactly_nothing(learner, draw):
    """A later token weighs exactly 0, though its score is far above all visible ones and its value is huge."""
    TEXTS.hide_later_tokens(learner, draw, Sizes(2, 2, 2, 8), loud)


@points(0.75)
def test_sizes_that_do_not_divide_are_refused(learner, draw):
    """hidden_dim must be divisible by nums_head, and nums_head by nums_key_value_head; other sizes are refused."""
    sizes = drawn_sizes(draw)
    learner.outputs(TEXTS.one_pass(draw, sizes, 3))
    learner.refuses(
        ENTRY,
        (sizes.width + 1, *sizes.init[1:]),
        # here nums_key_value_head divides both, so that only hidden_dim against nums_head is wrong
        (20, 8, 4),
        (30, 12, 3),
        why="A hidden_dim that nums_head does not divide",
    )
    factor = draw.integer(1, 3)
    learner.refuses(
        ENTRY,
        # here hidden_dim is divisible by both, so that only nums_head against nums_key_value_head is wrong
        (120 * factor, 12, 5),
        (48 * factor, 6, 4),
        (32 * factor, 4, 8),
        why="A nums_head that nums_key_value_head does not divide",
    )


@points(1)
def test_gradients_reach_input_and_parameters(learner, draw):
    """Gradients reach x and every parameter of all four layers."""
    # in one pass: whether a cache keeps its history is the learner's own choice
    learner.agrees_in_gradients(TEXTS.one_pass(draw, drawn_sizes(draw), 5), TEXTS.one_pass(draw, drawn_sizes(draw), 4))


@points(0.25, role="manners")
def test_input_is_left_alone(learner, draw):
    """The input x is not changed."""
    TEXTS.keep_inputs(learner, draw, drawn_sizes)
