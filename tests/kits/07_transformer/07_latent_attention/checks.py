from dataclasses import dataclass

import torch
from families.loud import LOW, ends_loudly
from families.texts import Texts

from grader.judge.authoring import expect, points

ENTRY = "LatentAttention"
TEXTS = Texts(ENTRY)


@dataclass(frozen=True)
class Sizes:
    """The sizes of one case."""

    batch: int
    heads: int
    head_dim: int
    latent: int

    @property
    def width(self):
        return self.heads * self.head_dim

    @property
    def init(self):
        return self.width, self.heads, self.latent


def drawn_sizes(draw):
    """All sizes different, hidden_dim among them."""
    heads, head_dim = draw.distinct(2, 2, 4)
    taken = (heads, head_dim, heads * head_dim)
    batch, latent = [size for size in draw.distinct(6, 3, 9) if size not in taken][:2]
    return Sizes(batch, heads, head_dim, latent)


@points(0.5, visible=True)
def test_shapes_of_one_pass(learner, draw):
    """LatentAttention(8, 2, 3) turns x of shape (4, 5, 8) into a pair: out (4, 5, 8) and the cache, a tensor (4, 5, 3)."""
    sizes = Sizes(4, 2, 4, 3)
    TEXTS.returns_pairs(learner, draw, sizes)
    asked = TEXTS.reader(draw, sizes)
    asked.read(TEXTS.text(draw, sizes, 5), return_as="output", return_cache_as="cache")
    (answer,) = learner.ask(asked)
    for name, due in (("output", (4, 5, 8)), ("cache", (4, 5, 3))):
        came = answer[name]
        expect(isinstance(came, torch.Tensor), f"`{name}` should be a tensor.")
        expect(tuple(came.shape) == due, f"`{name}` has shape {tuple(came.shape)}; {due} was expected.")


@points(3, role="main")
def test_one_pass_agrees_with_formula(learner, draw):
    """Without a cache: keys and values out of the latents, scale 1/√head_dim, later tokens hidden, then o_proj."""
    sizes, other = drawn_sizes(draw), drawn_sizes(draw)
    side = draw.integer(2, 4)
    learner.agrees(
        TEXTS.one_pass(draw, sizes, 5),
        TEXTS.one_pass(draw, other, 7),
        # square: a wrong axis fits here without an error
        TEXTS.one_pass(draw, Sizes(side, side, side, side), side),
        TEXTS.one_pass(draw, Sizes(other.batch, other.heads, other.head_dim, other.width), other.heads),
        TEXTS.one_pass(draw, other, other.width),
        TEXTS.one_pass(draw, Sizes(sizes.batch, 1, sizes.head_dim, sizes.latent), 4),
        TEXTS.one_pass(draw, Sizes(sizes.batch, sizes.heads, 1, sizes.latent), 4),
        TEXTS.one_pass(draw, Sizes(sizes.batch, sizes.heads, sizes.head_dim, 1), 4),
        TEXTS.one_pass(draw, Sizes(1, sizes.heads, sizes.head_dim, sizes.latent), 6),
        TEXTS.one_pass(draw, sizes, 1),
        TEXTS.one_pass(draw, sizes, 4, train=True),
        TEXTS.one_pass(draw, other, 5, dtype=torch.float64),
    )


@points(2.25, role="main")
def test_chunks_give_what_one_pass_gives(learner, draw):
    """However a text is cut into chunks, each chunk's out is that part of one pass over the whole text."""
    sizes, other = drawn_sizes(draw), drawn_sizes(draw)
    side = draw.integer(2, 4)
    learner.agrees(
        TEXTS.in_chunks(draw, sizes, [3, 2]),
        TEXTS.in_chunks(draw, sizes, [2, 4, 3]),
        TEXTS.in_chunks(draw, other, [1, 1, 1, 1, 1]),
        TEXTS.in_chunks(draw, other, [4, 1, 1, 3]),
        TEXTS.in_chunks(draw, sizes, [draw.integer(1, 4) for _ in range(4)]),
        TEXTS.in_chunks(draw, Sizes(side, side, side, side), [side, side, side]),
        TEXTS.in_chunks(draw, Sizes(1, sizes.heads, sizes.head_dim, sizes.latent), [2, 1, 3]),
        TEXTS.in_chunks(draw, other, [20, 1, 17]),
        TEXTS.in_chunks(draw, other, [3, 2, 2], dtype=torch.float64),
    )


@points(1.5, role="main")
def test_the_cache_is_the_latents(learner, draw):
    """The cache is one tensor, kv_down of all tokens so far in their order, and nothing else."""
    sizes, other = drawn_sizes(draw), drawn_sizes(draw)
    learner.agrees(
        TEXTS.in_chunks(draw, sizes, [4], returns_caches=True),
        TEXTS.in_chunks(draw, sizes, [3, 2, 1], returns_caches=True),
        TEXTS.in_chunks(draw, other, [1, 1, 1, 4], returns_caches=True),
        TEXTS.in_chunks(draw, other, [2, 2], dtype=torch.float64, returns_caches=True),
    )


@points(0.75)
def test_a_cache_can_be_used_again(learner, draw):
    """A cache stays as it was, one from elsewhere is taken as it is, and nothing is kept from call to call."""
    sizes = drawn_sizes(draw)
    branching = TEXTS.branching(draw, sizes)
    branching.read(TEXTS.text(draw, sizes, 3), return_as="a new text", name="a new text")
    branching.mode(train=True)
    texts = ("a new text in training", "another new text in training")
    caches = [branching.read(TEXTS.text(draw, sizes, 3), return_as=each, name=each) for each in texts]
    for each, cache in zip(texts, caches, strict=True):
        end = f"the end of {each}"
        branching.read(TEXTS.text(draw, sizes, 2), cache, return_as=end, name=end)
    branching.load(branching.module, draw.weights(ENTRY, *sizes.init))
    branching.read(TEXTS.text(draw, sizes, 3), return_as="a text with other weights", name="a text with other weights")

    # latents that the judge made up
    handed = TEXTS.reader(draw, sizes)
    latents = handed.tensor(draw.normal(sizes.batch, 4, sizes.latent), name="cache")
    handed.read(
        TEXTS.text(draw, sizes, 2), latents, return_as="after a cache from elsewhere", return_cache_as="the cache then"
    )
    learner.agrees(branching, handed)


def loud(draw, sizes, tokens, high):
    """Weights, and texts in which the last token scores `high` and all others LOW; its value is none, or huge."""
    weights = draw.weights(ENTRY, *sizes.init)
    for name in ("q_proj.weight", "kv_down.weight", "k_up.weight"):
        weights[name].zero_()
    # of x, place 0 is read by the queries, place 1 by the keys, place 2 by the values, the last two through the latents
    weights["q_proj.weight"][:: sizes.head_dim, 0] = LOW * sizes.head_dim**0.5
    weights["kv_down.weight"][0, 1], weights["kv_down.weight"][1, 2] = 1.0, 1.0
    weights["kv_down.weight"][2:] = draw.normal(sizes.latent - 2, sizes.width)
    weights["kv_down.weight"][2:, :3] = 0.0
    weights["k_up.weight"][:: sizes.head_dim, 0] = 1.0
    weights["v_up.weight"][:, 0] = 0.0
    return weights, ends_loudly(TEXTS.text(draw, sizes, tokens), high)


@points(0.5, role="manners")
def test_later_tokens_weigh_exactly_nothing(learner, draw):
    """A later token weighs exactly 0, though its score is far above all visible ones and its value is huge."""
    TEXTS.hide_later_tokens(learner, draw, Sizes(2, 2, 3, 4), loud)


@points(0.5)
def test_sizes_that_do_not_divide_are_refused(learner, draw):
    """A hidden_dim that nums_head does not divide is refused; one that it divides is not, whatever latent_dim."""
    heads, head_dim = draw.integer(3, 6), draw.integer(2, 4)
    learner.outputs(TEXTS.one_pass(draw, Sizes(2, heads, head_dim, heads + 1), 3))
    learner.refuses(
        ENTRY,
        (heads * head_dim + 1, heads, heads),
        (heads * head_dim - 1, heads, 2),
        why="A hidden_dim that nums_head does not divide",
    )


@points(0.75)
def test_gradients_reach_input_and_parameters(learner, draw):
    """Gradients reach x and every parameter of all five layers."""
    learner.agrees_in_gradients(TEXTS.one_pass(draw, drawn_sizes(draw), 5), TEXTS.one_pass(draw, drawn_sizes(draw), 4))


@points(0.25, role="manners")
def test_input_is_left_alone(learner, draw):
    """The input x is not changed."""
    TEXTS.keep_inputs(learner, draw, drawn_sizes)
