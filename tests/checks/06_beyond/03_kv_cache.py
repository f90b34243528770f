from dataclasses import dataclass

import torch

from grader.judge.authoring import Case, cut_off, expect, fail, loud_inputs, loud_weights, points, same

ENTRY = "CachedAttention"
PAIR = "forward should return two things: (out, cache)."
AXES = ("batch", "tokens", "hidden_dim")


@dataclass(frozen=True)
class Sizes:
    """The sizes of one case."""

    batch: int
    heads: int
    head_dim: int

    @property
    def init(self):
        return self.heads * self.head_dim, self.heads


def drawn_sizes(draw):
    """All sizes different, hidden_dim among them."""
    heads, head_dim = draw.distinct(2, 2, 4)
    batch = next(size for size in draw.distinct(4, 3, 7) if size not in (heads, head_dim))
    return Sizes(batch, heads, head_dim)


class Reading(Case):
    """A case that makes one CachedAttention and reads texts with it, chunk by chunk.

    A cache never leaves its slot: what it is made of is the learner's own business.
    """

    def __init__(self, draw, sizes, *, dtype=torch.float32, weights=None):
        super().__init__(axes=AXES, seed=draw.seed())
        self.draw, self.sizes, self.dtype = draw, sizes, dtype
        self.module = self.call(self.entry(ENTRY), *sizes.init)
        self.load(self.module, weights or draw.weights(ENTRY, *sizes.init))
        self.prepare(self.module, dtype=dtype)

    def text(self, tokens, *, batch=0):
        return self.draw.normal(batch or self.sizes.batch, tokens, self.sizes.init[0], dtype=self.dtype)

    def read(self, x, cache=None, *, tell, name="x"):
        """Read a chunk after what `cache` stands for, tell the output, return the new cache."""
        chunk = self.tensor(x, name=name)
        pair = self.call(self.module, chunk, cache) if cache else self.call(self.module, chunk)
        self.output = self.call(pair, 0, method="__getitem__", tell=tell)
        return self.call(pair, 1, method="__getitem__")

    def read_in_chunks(self, x, lengths):
        """Read a text in chunks of these lengths."""
        cache = None
        for number, chunk in enumerate(x.split(lengths, dim=1), start=1):
            cache = self.read(chunk, cache, tell=f"out of chunk {number}", name=f"chunk {number}")
        return self


def one_pass(draw, sizes, tokens, **options):
    reading = Reading(draw, sizes, **options)
    reading.read(reading.text(tokens), tell="output")
    return reading


def in_chunks(draw, sizes, lengths, **options):
    reading = Reading(draw, sizes, **options)
    return reading.read_in_chunks(reading.text(sum(lengths)), lengths)


@points(0.5, visible=True)
def test_shape_of_one_pass(learner, draw):
    """CachedAttention(8, 2) turns x of shape (3, 5, 8) into a pair (out, cache), where out is (3, 5, 8)."""
    reading = Reading(draw, Sizes(3, 2, 4))
    pair = reading.call(reading.module, reading.text(5))
    reading.call(pair, method="__len__", tell="parts")
    (answer,) = learner.ask_all(reading)
    if answer.error is not None:
        # what has no length is no pair; an error with frames is one in the learner's own lines
        fail(learner.tell_error(answer.error) if answer.error.get("frames") else PAIR)
    parts = answer["parts"]
    expect(type(parts) is int and parts == 2, PAIR)
    learner.outputs(one_pass(draw, Sizes(3, 2, 4), 5))


@points(4, role="main")
def test_one_pass_agrees_with_formula(learner, draw):
    """Without a cache it is causal multi-head attention: scale 1/√head_dim, later tokens hidden, then o_proj."""
    sizes, other = drawn_sizes(draw), drawn_sizes(draw)
    side = draw.integer(2, 4)
    learner.agrees(
        one_pass(draw, sizes, 5),
        one_pass(draw, other, 7),
        # square: a wrong axis fits here without an error
        one_pass(draw, Sizes(side, side, side), side),
        one_pass(draw, other, other.heads),
        one_pass(draw, other, other.heads * other.head_dim),
        one_pass(draw, Sizes(sizes.batch, 1, sizes.head_dim), 4),
        one_pass(draw, Sizes(sizes.batch, sizes.heads, 1), 4),
        one_pass(draw, Sizes(1, sizes.heads, sizes.head_dim), 6),
        one_pass(draw, sizes, 1),
        one_pass(draw, other, 5, dtype=torch.float64),
    )
    later_tokens_are_too_loud(learner, draw)


def later_tokens_are_too_loud(learner, draw):
    sizes = Sizes(2, 2, 3)
    weights = loud_weights(draw.weights(ENTRY, *sizes.init), "q_proj", "k_proj", "v_proj", sizes.head_dim)
    for loud in loud_inputs(draw, sizes.batch, 5, sizes.init[0]):
        asked = [Reading(draw, sizes, dtype=loud.dtype, weights=weights) for _ in range(2)]
        for reading, x in zip(asked, loud, strict=True):
            reading.read(x, tell="output")
        before, after = learner.outputs(*map(cut_off, asked))
        expect(
            same(after[:, :-1], before[:, :-1]),
            "A later token whose score is far above the others, and whose value is huge, still comes through to earlier ones. "
            "What is filled in for hidden scores must be far below every score, best of all minus infinity.",
        )


@points(3.5, role="main")
def test_chunks_give_what_one_pass_gives(learner, draw):
    """However a text is cut into chunks, each chunk's out is that part of one pass over the whole text."""
    sizes, other = drawn_sizes(draw), drawn_sizes(draw)
    side = draw.integer(2, 4)
    learner.agrees(
        in_chunks(draw, sizes, [3, 2]),
        in_chunks(draw, sizes, [2, 4, 3]),
        in_chunks(draw, other, [1, 1, 1, 1, 1]),
        in_chunks(draw, other, [4, 1, 1, 3]),
        in_chunks(draw, other, [1, 5]),
        in_chunks(draw, sizes, [draw.integer(1, 4) for _ in range(4)]),
        in_chunks(draw, Sizes(side, side, side), [side, side, side]),
        in_chunks(draw, Sizes(sizes.batch, 1, sizes.head_dim), [2, 3, 1]),
        in_chunks(draw, Sizes(1, sizes.heads, sizes.head_dim), [2, 1, 3]),
        # longer than any room that was set aside for a few tokens
        in_chunks(draw, other, [20, 1, 17]),
        in_chunks(draw, other, [3, 2, 2], dtype=torch.float64),
    )


@points(1.5)
def test_a_cache_can_be_used_again(learner, draw):
    """A cache stays as it was: different continuations can start from it, and texts can be read by turns."""
    branching = Reading(draw, drawn_sizes(draw))
    start = branching.read(branching.text(3), tell="the start", name="the start")
    one, other = branching.text(2), branching.text(1)
    longer = branching.read(one, start, tell="a continuation", name="a continuation")
    branching.read(other, start, tell="another continuation", name="another continuation")
    branching.read(one, start, tell="the first continuation again", name="the first continuation again")
    branching.read(other, longer, tell="the end of the first", name="the end of the first")

    by_turns = Reading(draw, drawn_sizes(draw))
    batch = by_turns.sizes.batch
    first = by_turns.read(by_turns.text(2), tell="one text", name="one text")
    second = by_turns.read(by_turns.text(3, batch=batch + 1), tell="another text", name="another text")
    by_turns.read(by_turns.text(2), first, tell="more of the one", name="more of the one")
    by_turns.read(by_turns.text(1, batch=batch + 1), second, tell="more of the other", name="more of the other")
    by_turns.read(by_turns.text(4), tell="a new text", name="a new text")

    # of the same size throughout, in eval() and in training: another text, then another continuation of each
    alike = Reading(draw, drawn_sizes(draw))
    texts = [alike.tensor(alike.text(3), name=f"text {number}") for number in range(2)]
    for mode in ("eval()", "training"):
        alike.prepare(alike.module, train=mode == "training")
        pairs = [alike.call(alike.module, text) for text in texts]
        for number, pair in enumerate(pairs):
            alike.output = alike.call(pair, 0, method="__getitem__", tell=f"text {number} in {mode}")
        caches = [alike.call(pair, 1, method="__getitem__") for pair in pairs]
        for number, cache in enumerate(caches):
            alike.read(alike.text(1), cache, tell=f"the end of text {number} in {mode}", name=f"end {number} in {mode}")
    alike.is_random = False
    alike.said = "one module that reads several texts of the same length"
    learner.agrees(branching, by_turns, alike)


@points(1)
def test_sizes_that_do_not_divide_are_refused(learner, draw):
    """A hidden_dim that nums_head does not divide is refused; one that it divides is not."""
    heads, head_dim = draw.integer(3, 6), draw.integer(2, 4)
    learner.outputs(one_pass(draw, Sizes(2, heads, head_dim), 3))
    learner.refuses(
        ENTRY,
        (heads * head_dim + 1, heads),
        (heads * head_dim - 1, heads),
        why="A hidden_dim that nums_head does not divide",
    )


@points(1)
def test_gradients_reach_input_and_parameters(learner, draw):
    """Gradients reach x and every parameter of all four layers."""
    # in one pass: whether a cache keeps its history is the learner's own choice
    learner.agrees_in_gradients(one_pass(draw, drawn_sizes(draw), 5), one_pass(draw, drawn_sizes(draw), 4))


@points(0.5, role="manners")
def test_input_is_left_alone(learner, draw):
    """The input x is not changed."""
    reading = in_chunks(draw, drawn_sizes(draw), [3, 2])
    reading.tell(reading.output, "output")
    learner.keeps_inputs(one_pass(draw, drawn_sizes(draw), 5), reading)
