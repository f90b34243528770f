from dataclasses import dataclass
from functools import partial

import torch
from families.drawn import drawn_mask
from families.dropped_weights import (
    TOKENS,
    drops_in_training_only,
    drops_single_weights,
    telling_input,
    telling_weights,
)
from families.loud import cut_off, loud_inputs, loud_weights

from grader.judge.authoring import called_again, expect, module, points, same

ENTRY = "MultiHeadAttention"
AXES = "batch tokens hidden_dim"


@dataclass(frozen=True)
class Sizes:
    """The sizes of one case."""

    batch: int
    tokens: int
    heads: int
    head_dim: int

    @property
    def init(self):
        return self.heads * self.head_dim, self.heads


def drawn_sizes(draw):
    """All sizes different, hidden_dim among them."""
    heads, head_dim = draw.distinct(2, 2, 4)
    batch, tokens = [size for size in draw.distinct(5, 2, 7) if size not in (heads, head_dim, heads * head_dim)][:2]
    return Sizes(batch, tokens, heads, head_dim)


def case(draw, sizes, *, mask=None, dropout=None, x=None, weights=None, dtype=torch.float32, train=False):
    if x is None:
        x = draw.normal(sizes.batch, sizes.tokens, sizes.init[0], dtype=dtype)
    return module(
        ENTRY,
        *sizes.init,
        *([] if dropout is None else [dropout]),
        weights=weights or draw.weights(ENTRY, *sizes.init),
        inputs={"X": x} if mask is None else {"X": x, "attention_mask": mask},
        axes=AXES,
        train=train,
        dtype=dtype,
        seed=draw.seed(),
    )


def ragged(draw, batch, tokens, side):
    """Every sequence has its own number of real tokens, one at least; the padding is in front or behind."""
    real = torch.tensor([draw.integer(1, tokens) for _ in range(batch)])
    real[draw.integer(0, batch - 1)] = draw.integer(1, max(1, tokens - 1))
    place = torch.arange(tokens)
    return (place[None] >= tokens - real[:, None] if side == "front" else place[None] < real[:, None]).long()


def scattered(draw, batch, tokens):
    """Padding anywhere, at least one real token in every sequence."""
    return (~drawn_mask(draw, batch, tokens)).long()


@points(0.5, visible=True)
def test_shape_of_the_documents_example(learner, draw):
    """MultiHeadAttention(128, 8) turns X of (3, 2, 128) into (3, 2, 128), with a mask of (3, 2) and without."""
    sizes = Sizes(3, 2, 8, 16)
    x, mask = draw.uniform(3, 2, 128), torch.tensor([[0, 1], [1, 1], [1, 0]])
    weights = draw.weights(ENTRY, *sizes.init)
    learner.outputs(case(draw, sizes, x=x, weights=weights), case(draw, sizes, x=x, weights=weights, mask=mask))


@points(2.25, role="main")
def test_agrees_with_formula_without_a_mask(learner, draw):
    """Without a mask every head attends to all tokens with scale 1/√head_dim, and o_proj joins the heads."""
    one, other, side = drawn_sizes(draw), drawn_sizes(draw), draw.integer(2, 4)
    none = case(draw, one)
    none.call(none.module, none.inputs["X"], None, return_as="the output with None as mask")
    learner.agrees(
        none,
        case(draw, other),
        # square: a wrong axis fits here without an error
        case(draw, Sizes(side, side, side, side)),
        case(draw, Sizes(other.batch, other.heads, other.heads, other.head_dim)),
        case(draw, Sizes(one.batch, one.tokens, 1, one.head_dim)),
        case(draw, Sizes(one.batch, one.tokens, one.heads, 1)),
        case(draw, Sizes(1, one.tokens, one.heads, one.head_dim)),
        case(draw, Sizes(one.batch, 1, one.heads, one.head_dim)),
        case(draw, other, dtype=torch.float64),
    )


@points(3, role="main")
def test_padding_is_hidden(learner, draw):
    """With a mask the keys that are padding weigh nothing, whether they are in front, behind or in between."""
    one, other, side = drawn_sizes(draw), drawn_sizes(draw), draw.integer(3, 4)
    square, batch_of_tokens = Sizes(side, side, side, side), Sizes(other.tokens, other.tokens, one.heads, one.head_dim)
    named = case(draw, other)
    mask = named.tensor(ragged(draw, other.batch, other.tokens, "behind"), name="attention_mask")
    named.call(named.module, named.inputs["X"], attention_mask=mask, return_as="the output with the mask by its name")
    learner.agrees(
        case(draw, one, mask=ragged(draw, one.batch, one.tokens, "behind")),
        case(draw, one, mask=ragged(draw, one.batch, one.tokens, "front")),
        case(draw, other, mask=scattered(draw, other.batch, other.tokens)),
        named,
        # as many sequences as tokens: a mask along the wrong axis fits here without an error
        case(draw, batch_of_tokens, mask=ragged(draw, other.tokens, other.tokens, "behind")),
        case(draw, batch_of_tokens, mask=scattered(draw, other.tokens, other.tokens)),
        case(draw, square, mask=scattered(draw, side, side)),
        case(draw, Sizes(one.heads, one.tokens, one.heads, 2), mask=ragged(draw, one.heads, one.tokens, "front")),
        case(draw, Sizes(1, one.tokens, 1, one.head_dim), mask=ragged(draw, 1, one.tokens, "front")),
        case(draw, Sizes(other.batch, 1, other.heads, 2), mask=torch.ones(other.batch, 1).long()),
        case(draw, one, mask=torch.ones(one.batch, one.tokens).long()),
        case(draw, other, mask=scattered(draw, other.batch, other.tokens), dtype=torch.float64),
    )


@points(0.75)
def test_mask_of_any_kind(learner, draw):
    """The mask may hold whole numbers, floats or booleans; 0, 0.0 and False are padding."""
    sizes = drawn_sizes(draw)
    batch, tokens = sizes.batch, sizes.tokens
    learner.agrees(
        case(draw, sizes, mask=ragged(draw, batch, tokens, "behind").bool()),
        case(draw, sizes, mask=ragged(draw, batch, tokens, "front").float()),
        case(draw, sizes, mask=scattered(draw, batch, tokens).bool()),
        case(draw, Sizes(tokens, tokens, sizes.heads, 2), mask=scattered(draw, tokens, tokens).float()),
        case(draw, sizes, mask=scattered(draw, batch, tokens).double(), dtype=torch.float64),
        case(draw, sizes, mask=scattered(draw, batch, tokens).int()),
    )


def padding_is_too_loud(learner, draw, batch):
    sizes, hidden = Sizes(batch, 6, 2, 3), draw.integer(1, 3)
    weights = loud_weights(draw.weights(ENTRY, *sizes.init), "q_proj", "k_proj", "v_proj", sizes.head_dim)
    mask = (torch.arange(6) < 6 - hidden).long().repeat(batch, 1)
    for loud in loud_inputs(draw, batch, 6, sizes.init[0], hidden):
        before, after = learner.outputs(
            *[cut_off(case(draw, sizes, x=x, weights=weights, mask=mask, dtype=x.dtype)) for x in loud]
        )
        expect(
            same(after, before),
            "Padding whose score is far above the others, and whose value is huge, still comes through. "
            "Is it hidden from every query, before the softmax? What is filled in must be far below every score: best of all minus infinity.",
        )


@points(0.75)
def test_padding_has_no_say(learner, draw):
    """Other numbers at a padded place change no other output, in training as in eval(); a real token counts for all."""
    batch, heads, head_dim = draw.distinct(3, 2, 4)
    sizes = Sizes(batch, 6, heads, head_dim)
    weights = draw.weights(ENTRY, *sizes.init)
    # with queries of 0 all visible tokens weigh the same, so that each of them is heard everywhere
    alike = {name: torch.zeros_like(value) if name.startswith("q_proj") else value for name, value in weights.items()}
    real = draw.integer(2, 4)
    mask = (torch.arange(6) < real).long().repeat(batch, 1)
    x, fresh = draw.normal(batch, 6, sizes.init[0]), draw.normal(batch, 6, sizes.init[0])
    other_padding = torch.cat([x[:, :real], fresh[:, real:]], dim=1)
    other_token = torch.cat([fresh[:, :1], x[:, 1:]], dim=1)
    # the same seed: whatever is dropped, the same is dropped in both
    trained = [
        case(draw, sizes, x=each, weights=weights, mask=mask, dropout=0.0, train=True) for each in (x, other_padding)
    ]
    trained[1].seed = trained[0].seed
    before, after, alone, even, uneven, in_training, after_in_training = learner.outputs(
        case(draw, sizes, x=x, weights=weights, mask=mask),
        case(draw, sizes, x=other_padding, weights=weights, mask=mask),
        case(draw, Sizes(batch, real, heads, head_dim), x=x[:, :real], weights=weights),
        case(draw, sizes, x=x, weights=alike, mask=mask),
        case(draw, sizes, x=other_token, weights=alike, mask=mask),
        *trained,
    )
    expect(
        not any(same(uneven[:, i], even[:, i]) for i in range(6)),
        "A real token was changed, but some outputs stayed as they were. All tokens look at it, the padded ones included.",
    )
    expect(
        same(after[:, :real], before[:, :real]),
        "Only padding was changed, but the outputs of real tokens changed too. Is every padded key hidden before the softmax?",
    )
    expect(
        same(after_in_training[:, :real], in_training[:, :real]),
        "Only padding was changed, but in training the outputs of real tokens changed too. Padding is hidden in training as in eval().",
    )
    expect(
        same(alone, before[:, :real]),
        "Real tokens get other outputs with padding behind them than alone. Is every padded key hidden before the softmax?",
    )
    padding_is_too_loud(learner, draw, batch)


@points(1)
def test_dropout_acts_in_training_only(learner, draw):
    """In eval() nothing is dropped; in training p = 1 drops every weight and leaves the bias of o_proj."""
    drops_in_training_only(learner, partial(case, draw, drawn_sizes(draw)))


def telling_case(draw):
    """A case that only lacks `dropout` and `train`; its output tells the weights of four heads."""
    sizes = Sizes(16, TOKENS, 4, 2 * TOKENS)
    weights = telling_weights(draw.weights(ENTRY, *sizes.init), "v_proj", "o_proj")
    return partial(case, draw, sizes, x=telling_input(sizes.batch, sizes.init[0]), weights=weights)


@points(0.75)
def test_dropout_acts_on_the_weights(learner, draw):
    """In training each single weight is dropped with probability p, or else divided by 1 - p."""
    drops_single_weights(learner, telling_case(draw), heads=4)


@points(0.5)
def test_dropout_is_a_tenth_by_default(learner, draw):
    """Without a `dropout` argument a weight is dropped with probability 0.1."""
    of_weights = telling_case(draw)
    learner.agrees(of_weights(dropout=0.0))
    undropped, came = learner.outputs(of_weights(dropout=0.0), of_weights(train=True))
    # that each is dropped by itself, and how many, is asked above; what is left is divided by 1 - p, which tells p
    expect(
        same(came, undropped * (came > undropped / 2) / 0.9),
        "Without a `dropout` argument a weight should be dropped with probability 0.1, and divided by 0.9 if it is kept.",
    )


@points(0.75)
def test_sizes_that_do_not_divide_are_refused(learner, draw):
    """A hidden_dim that nums_head does not divide is refused; one that it divides is not."""
    heads, head_dim = draw.integer(3, 6), draw.integer(2, 4)
    learner.outputs(case(draw, Sizes(2, 3, heads, head_dim)))
    learner.refuses(
        ENTRY,
        (heads * head_dim + 1, heads),
        (heads * head_dim - 1, heads, 0.0),
        (heads - 1, heads),
        why="A hidden_dim that nums_head does not divide",
    )


@points(0.75)
def test_gradients_reach_input_and_parameters(learner, draw):
    """Gradients reach X and every parameter of all four layers, with a mask and without."""
    one, other = drawn_sizes(draw), drawn_sizes(draw)
    learner.agrees_in_gradients(
        case(draw, one), case(draw, other, mask=ragged(draw, other.batch, other.tokens, "behind"))
    )


@points(0.25)
def test_calls_of_one_module_do_not_disturb_each_other(learner, draw):
    """One module can be called with a mask, without one, with a shorter input, again as before, and with others of the same size."""
    sizes = drawn_sizes(draw)
    first = case(draw, sizes, mask=ragged(draw, sizes.batch, sizes.tokens, "front"))
    shorter = draw.normal(sizes.batch + 1, sizes.tokens - 1, sizes.init[0])
    first.call(first.module, first.inputs["X"], return_as="the output without a mask")
    first.call(
        first.module, shorter, ragged(draw, sizes.batch + 1, sizes.tokens - 1, "behind"), return_as="the third output"
    )
    first.call(first.module, first.inputs["X"], first.inputs["attention_mask"], return_as="the fourth output")
    # alike in all sizes: another X, another mask, or both
    other_mask = case(draw, sizes, mask=torch.ones(sizes.batch, sizes.tokens).long())
    mask = ragged(draw, sizes.batch, sizes.tokens, "behind")
    other_mask.call(other_mask.module, other_mask.inputs["X"], mask, return_as="the output with another mask")
    again = case(draw, sizes, mask=mask, dropout=0.0)
    x = draw.normal(sizes.batch, sizes.tokens, sizes.init[0])
    called_again(again, x, ragged(draw, sizes.batch, sizes.tokens, "front"), weights=draw.weights(ENTRY, *sizes.init))
    learner.agrees(first, other_mask, again)


@points(0.5, role="manners")
def test_nothing_is_printed(learner, draw):
    """Neither making the module nor calling it, in eval() or in training, prints anything."""
    sizes = drawn_sizes(draw)
    mask = ragged(draw, sizes.batch, sizes.tokens, "behind")
    cases = [case(draw, sizes), case(draw, sizes, mask=mask), case(draw, sizes, mask=mask, train=True)]
    for each in cases:
        each.keeps_to_itself(each.output)
        each.call(each.observed("printed"), 0, method="__gt__", return_as="printed")
    for answer in learner.ask(*cases):
        expect(
            answer["printed"] is False,
            "Your code prints. Take the print calls out: a layer is called thousands of times in training.",
        )


@points(0.25, role="manners")
def test_inputs_are_left_alone(learner, draw):
    """X and the mask are not changed."""
    sizes = drawn_sizes(draw)
    mask = ragged(draw, sizes.batch, sizes.tokens, "behind")
    learner.keeps_inputs(
        case(draw, sizes), *[case(draw, sizes, mask=each) for each in (mask, mask.float(), mask.bool())]
    )
