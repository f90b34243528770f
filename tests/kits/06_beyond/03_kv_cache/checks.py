from dataclasses import dataclass, replace

import torch
from families.loud import hides_the_last_token, loud_inputs, loud_weights
from families.texts import Texts

from grader.judge.authoring import points

ENTRY = "CachedAttention"
TEXTS = Texts(ENTRY)


@dataclass(frozen=True)
class Sizes:
    """The sizes of one case."""

    batch: int
    heads: int
    head_dim: int

    @property
    def width(self):
        return self.heads * self.head_dim

    @property
    def init(self):
        return self.width, self.heads


def drawn_sizes(draw):
    """All sizes different, hidden_dim among them."""
    heads, head_dim = draw.distinct(2, 2, 4)
    batch = next(size for size in draw.distinct(4, 3, 7) if size not in (heads, head_dim))
    return Sizes(batch, heads, head_dim)


@points(0.5, visible=True)
def test_shape_of_one_pass(learner, draw):
    """CachedAttention(8, 2) turns x of shape (3, 5, 8) into a pair (out, cache), where out is (3, 5, 8)."""
    sizes = Sizes(3, 2, 4)
    TEXTS.returns_pairs(learner, draw, sizes)
    learner.outputs(TEXTS.one_pass(draw, sizes, 5))


@points(4, role="main")
def test_one_pass_agrees_with_formula(learner, draw):
    """Without a cache it is causal multi-head attention: scale 1/√head_dim, later tokens hidden, then o_proj."""
    sizes, other = drawn_sizes(draw), drawn_sizes(draw)
    side = draw.integer(2, 4)
    learner.agrees(
        TEXTS.one_pass(draw, sizes, 5),
        TEXTS.one_pass(draw, other, 7),
        # square: a wrong axis fits here without an error
        TEXTS.one_pass(draw, Sizes(side, side, side), side),
        TEXTS.one_pass(draw, other, other.heads),
        TEXTS.one_pass(draw, other, other.heads * other.head_dim),
        TEXTS.one_pass(draw, Sizes(sizes.batch, 1, sizes.head_dim), 4),
        TEXTS.one_pass(draw, Sizes(sizes.batch, sizes.heads, 1), 4),
        TEXTS.one_pass(draw, Sizes(1, sizes.heads, sizes.head_dim), 6),
        TEXTS.one_pass(draw, sizes, 1),
        TEXTS.one_pass(draw, other, 5, dtype=torch.float64),
    )
    later_tokens_are_too_loud(learner, draw)


def later_tokens_are_too_loud(learner, draw):
    sizes = Sizes(2, 2, 3)
    weights = loud_weights(draw.weights(ENTRY, *sizes.init), "q_proj", "k_proj", "v_proj", sizes.head_dim)
    for loud in loud_inputs(draw, sizes.batch, 5, sizes.width):
        asked = [TEXTS.reader(draw, sizes, dtype=x.dtype, weights=weights) for x in loud]
        for reading, x in zip(asked, loud, strict=True):
            reading.read(x, return_as="output")
        hides_the_last_token(learner, *asked)


@points(3.5, role="main")
def test_chunks_give_what_one_pass_gives(learner, draw):
    """However a text is cut into chunks, each chunk's out is that part of one pass over the whole text."""
    sizes, other = drawn_sizes(draw), drawn_sizes(draw)
    side = draw.integer(2, 4)
    learner.agrees(
        TEXTS.in_chunks(draw, sizes, [3, 2]),
        TEXTS.in_chunks(draw, sizes, [2, 4, 3]),
        TEXTS.in_chunks(draw, other, [1, 1, 1, 1, 1]),
        TEXTS.in_chunks(draw, other, [4, 1, 1, 3]),
        TEXTS.in_chunks(draw, other, [1, 5]),
        TEXTS.in_chunks(draw, sizes, [draw.integer(1, 4) for _ in range(4)]),
        TEXTS.in_chunks(draw, Sizes(side, side, side), [side, side, side]),
        TEXTS.in_chunks(draw, Sizes(sizes.batch, 1, sizes.head_dim), [2, 3, 1]),
        TEXTS.in_chunks(draw, Sizes(1, sizes.heads, sizes.head_dim), [2, 1, 3]),
        # longer than any room that was set aside for a few tokens
        TEXTS.in_chunks(draw, other, [20, 1, 17]),
        TEXTS.in_chunks(draw, other, [3, 2, 2], dtype=torch.float64),
    )


@points(1.5)
def test_a_cache_can_be_used_again(learner, draw):
    """A cache stays as it was: different continuations can start from it, and texts can be read by turns."""
    branching = TEXTS.branching(draw, drawn_sizes(draw))

    sizes = drawn_sizes(draw)
    more = replace(sizes, batch=sizes.batch + 1)
    by_turns = TEXTS.reader(draw, sizes)
    first = by_turns.read(TEXTS.text(draw, sizes, 2), return_as="one text", name="one text")
    second = by_turns.read(TEXTS.text(draw, more, 3), return_as="another text", name="another text")
    by_turns.read(TEXTS.text(draw, sizes, 2), first, return_as="more of the one", name="more of the one")
    by_turns.read(TEXTS.text(draw, more, 1), second, return_as="more of the other", name="more of the other")
    by_turns.read(TEXTS.text(draw, sizes, 4), return_as="a new text", name="a new text")

    # of the same size throughout, in eval() and in training: another text, then another continuation of each
    alike = TEXTS.reader(draw, sizes)
    texts = [alike.tensor(TEXTS.text(draw, sizes, 3), name=f"text {number}") for number in range(2)]
    for mode in ("eval()", "training"):
        alike.mode(train=mode == "training")
        pairs = [alike.call(alike.module, text) for text in texts]
        for number, pair in enumerate(pairs):
            alike.output = alike.call(pair, 0, method="__getitem__", return_as=f"text {number} in {mode}")
        caches = [alike.call(pair, 1, method="__getitem__") for pair in pairs]
        for number, cache in enumerate(caches):
            end = f"the end of text {number} in {mode}"
            alike.read(TEXTS.text(draw, sizes, 1), cache, return_as=end, name=f"end {number} in {mode}")
    alike.said = "one module that reads several texts of the same length"
    learner.agrees(branching, by_turns, alike)


@points(1)
def test_sizes_that_do_not_divide_are_refused(learner, draw):
    """A hidden_dim that nums_head does not divide is refused; one that it divides is not."""
    heads, head_dim = draw.integer(3, 6), draw.integer(2, 4)
    learner.outputs(TEXTS.one_pass(draw, Sizes(2, heads, head_dim), 3))
    learner.refuses(
        ENTRY,
        (heads * head_dim + 1, heads),
        (heads * head_dim - 1, heads),
        why="A hidden_dim that nums_head does not divide",
    )


@points(1)
def test_gradients_reach_input_and_parameters(learner, draw):
    """Gradients reach x and every parameter of all four layers, through a cache too."""
    sizes = drawn_sizes(draw)
    in_two = TEXTS.reader(draw, sizes)
    cache = in_two.read(TEXTS.text(draw, sizes, 3), return_as="the first chunk", name="the first chunk")
    in_two.read(TEXTS.text(draw, sizes, 2), cache, return_as="output", name="the second chunk")
    learner.agrees_in_gradients(TEXTS.one_pass(draw, drawn_sizes(draw), 5), in_two)


@points(0.5, role="manners")
def test_input_is_left_alone(learner, draw):
    """The input x is not changed."""
    TEXTS.keep_inputs(learner, draw, drawn_sizes)
