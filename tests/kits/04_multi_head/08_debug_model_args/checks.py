"""Each fault has a check of its own, which the other faults do not disturb: where they would, they are mended from outside.

Two faults break every call: without its imports `forward` stops at a NameError, without `is_causal` at an
AttributeError. So a check of another fault asks the module as it is, and once more with the missing attribute set, or
with the missing names lent to a copy of `forward`: one of the two must be right. The learner's file is never changed.
"""

from contextlib import suppress
from dataclasses import dataclass
from types import SimpleNamespace

import torch
from families.loud import cut_off, loud_inputs, loud_weights

from grader.judge.authoring import Case, CheckFailed, called_again, expect, points, same

ENTRY = "MultiHeadAttention"
AXES = "batch queries dim"


@dataclass(frozen=True)
class Sizes:
    """The sizes of one case: `keys` of 0 means that queries, keys and values are equally long."""

    batch: int
    tokens: int
    heads: int
    head_dim: int
    keys: int = 0
    spare: int = 0
    more_n_embd: int = 0

    def settings(self, dropout=0.0):
        """The arguments of ModelArgs, by name."""
        dim = self.heads * self.head_dim
        return {
            "dim": dim,
            "n_embd": dim + self.more_n_embd,
            "n_heads": self.heads,
            "max_seq_len": max(self.tokens, self.keys) + self.spare,
            "dropout": dropout,
        }


def drawn_sizes(draw, **more):
    """All sizes different, dim among them."""
    heads, head_dim = draw.distinct(2, 2, 4)
    taken = (heads, head_dim, heads * head_dim)
    batch, tokens = [size for size in draw.distinct(5, 2, 7) if size not in taken][:2]
    return Sizes(batch, tokens, heads, head_dim, **more)


@dataclass(frozen=True)
class Mended:
    """Which faults are mended from outside. Nobody has to mend the check of the sizes: it disturbs only its own cases.

    The visible check names nothing of this: whoever reads that one is not told the faults.
    """

    imports: bool = False
    is_causal: bool = False

    def before(self, case, causal):
        """What is done to the module before it is called."""
        if self.is_causal:
            case.call(case.module, "is_causal", causal, method="__setattr__")

    def called(self, case):
        """What is called, and what comes before the tensors."""
        return [forward_with_imports(case), case.module] if self.imports else [case.module]


def get(case, slot, name):
    """The attribute `name` of what is in a slot. Unlike case.attribute, it is not returned."""
    return case.call(slot, name, method="__getattribute__")


def forward_with_imports(case):
    """A copy of the learner's forward that knows `math` and `F`, whether the file imports them or not."""
    forward = get(case, get(case, case.module, "forward"), "__func__")
    names = case.call(get(case, forward, "__globals__"), method="copy")
    # the file of nn.Linear imports both
    library = get(case, get(case, case.library_module("Linear", 1, 1), "forward"), "__globals__")
    for name in ("math", "F"):
        case.call(names, name, case.call(library, name, method="__getitem__"), method="setdefault")
    code, closure = get(case, forward, "__code__"), get(case, forward, "__closure__")
    return case.call(get(case, forward, "__class__"), code, names, "forward", None, closure)


def case(
    draw,
    sizes,
    *,
    causal=False,
    dropout=0.0,
    tensors=None,
    weights=None,
    dtype=torch.float32,
    train=False,
    mended=None,
    only_made=False,
    by_place=False,
):
    settings = sizes.settings(dropout)
    dim = settings["dim"]
    if tensors is None:
        query = draw.normal(sizes.batch, sizes.tokens, dim, dtype=dtype)
        key, value = (draw.normal(sizes.batch, sizes.keys or sizes.tokens, dim, dtype=dtype) for _ in range(2))
        tensors = {"q": query, "k": key, "v": value}
    asked = Case(axes=tuple(AXES.split()), seed=draw.seed())
    if by_place:
        args = asked.call(asked.entry("ModelArgs"), *settings.values())
        asked.said = "with ModelArgs(dim, n_embd, n_heads, max_seq_len, dropout) given in this order"
    else:
        args = asked.call(asked.entry("ModelArgs"), **settings)
    asked.module = asked.call(asked.entry(ENTRY), args, *([causal] if causal else []))
    asked.load(asked.module, weights or draw.weights(ENTRY, SimpleNamespace(**settings)))
    asked.prepare(asked.module, train=train, dtype=dtype)
    if only_made:
        return asked
    if mended:
        mended.before(asked, causal)
    slots = [asked.tensor(tensor, name=name) for name, tensor in tensors.items()]
    asked.output = asked.call(*(mended.called(asked) if mended else [asked.module]), *slots, return_as="output")
    return asked


def agrees_once_mended(learner, mended, cases):
    """The cases agree with the reference as the module is, or once other faults are mended from outside. Both are asked."""
    agrees = False
    with suppress(CheckFailed):
        learner.agrees(*cases(None))
        agrees = True
    try:
        learner.agrees(*cases(mended))
    except CheckFailed:
        if not agrees:
            raise


@points(0.25, role="manners", visible=True)
def test_example_runs(learner, draw):
    """The example runs: dim=8, n_embd=10, 4 heads; queries (2, 3, 8), keys and values (2, 5, 8), output (2, 3, 8)."""
    learner.agrees(case(draw, Sizes(2, 3, 4, 2, keys=5, more_n_embd=2, spare=1)))


@points(1.25, role="main")
def test_fault_of_the_first_call_is_gone(learner, draw):
    """The fault behind the NameError is gone: a module can be called, and attends as the formula says."""
    one, other = drawn_sizes(draw), drawn_sizes(draw)
    agrees_once_mended(
        learner, Mended(is_causal=True), lambda mended: [case(draw, sizes, mended=mended) for sizes in (one, other)]
    )


@points(1.25, role="main")
def test_fault_of_the_missing_attribute_is_gone(learner, draw):
    """The fault behind the AttributeError is gone: is_causal=True hides all later tokens, is_causal=False hides none."""
    one, other = drawn_sizes(draw), drawn_sizes(draw, spare=draw.integer(1, 3))
    agrees_once_mended(
        learner,
        Mended(imports=True),
        lambda mended: [
            case(draw, one, causal=True, mended=mended),
            case(draw, other, causal=True, mended=mended),
            case(draw, one, causal=False, mended=mended),
            case(draw, Sizes(1, 5, 1, 3, spare=1), causal=True, mended=mended),
        ],
    )


@points(1.25, role="main")
def test_fault_of_other_lengths_is_gone(learner, draw):
    """The fault behind the RuntimeError is gone: keys and values may come from a longer or a shorter sequence."""
    longer, shorter = drawn_sizes(draw), drawn_sizes(draw)
    lengths = [
        Sizes(longer.batch, longer.tokens, longer.heads, longer.head_dim, keys=longer.tokens + draw.integer(1, 4)),
        Sizes(shorter.batch, shorter.tokens + 1, shorter.heads, shorter.head_dim, keys=shorter.tokens - 1),
        Sizes(longer.batch, 1, longer.heads, longer.head_dim, keys=longer.tokens),
        Sizes(longer.batch, longer.tokens, longer.heads, longer.head_dim, keys=1),
        # as many keys as heads, as many queries as columns of a head
        Sizes(longer.batch, shorter.head_dim, longer.heads + 3, shorter.head_dim, keys=longer.heads + 3),
    ]
    agrees_once_mended(
        learner,
        Mended(imports=True, is_causal=True),
        lambda mended: [case(draw, sizes, mended=mended) for sizes in lengths],
    )


@points(1.25, role="main")
def test_fault_of_the_wrong_size_is_gone(learner, draw):
    """The right size is checked: a dim that n_heads does not divide is refused, and n_embd may be anything."""
    heads, head_dim = draw.integer(3, 5), draw.integer(2, 4)
    others = [Sizes(2, 3, heads, head_dim, more_n_embd=more) for more in (1, heads, -1, -heads)]
    unfit = [(heads * head_dim + 1, heads * head_dim), (heads * head_dim - 1, heads), (heads - 1, 2 * heads)]
    failure = None
    try:
        learner.ask(*[case(draw, sizes, only_made=True) for sizes in others])
    except CheckFailed as error:
        # both halves are asked in any case: only together do they tell one wrong check of the sizes from another
        failure = error
    for dim, n_embd in unfit:
        refuses(learner, dim=dim, n_embd=n_embd, n_heads=heads, max_seq_len=5, dropout=0.0)
    if failure is not None:
        raise failure


def refuses(learner, **settings):
    """Either class refuses these settings."""
    alone, together = Case(), Case()
    alone.refuses(alone.entry("ModelArgs"), **settings)
    args = together.call(together.entry("ModelArgs"), **settings)
    together.refuses(together.entry(ENTRY), args)
    answers = learner.ask_all(alone, together)
    endings = [each["refusal"] for each in answers if each.error is None]
    expect(
        any(isinstance(ending, str) and ending == "refused" for ending in endings),
        "A dim that n_heads does not divide must be refused with AssertionError or ValueError, whatever n_embd is.",
    )


@points(0.75)
def test_nothing_else_broke(learner, draw):
    """Nothing else broke: any sizes, one head or one token, float64, queries, keys and values of different origin."""
    one, other, side = drawn_sizes(draw, spare=1), drawn_sizes(draw), draw.integer(2, 4)
    twice = case(draw, one, causal=True)
    shorter = draw.normal(one.batch, one.tokens - 1, one.settings()["dim"])
    twice.call(twice.module, shorter, shorter, shorter, return_as="the second output")
    twice.call(twice.module, *twice.inputs.values(), return_as="the third output")
    again, settings = case(draw, other), other.settings()
    others = [draw.normal(other.batch, other.tokens, settings["dim"]) for _ in range(3)]
    called_again(again, *others, weights=draw.weights(ENTRY, SimpleNamespace(**settings)))
    x = draw.normal(other.batch, other.tokens, other.settings()["dim"])
    learner.agrees(
        twice,
        again,
        case(draw, other, tensors={"q": x, "k": x, "v": x}),
        case(draw, other, by_place=True),
        # square: a wrong axis fits here without an error
        case(draw, Sizes(side, side, side, side), causal=True),
        case(draw, Sizes(side, side, side, side)),
        case(draw, Sizes(one.batch, one.tokens, 1, one.head_dim)),
        case(draw, Sizes(one.batch, one.tokens, one.heads, 1), causal=True),
        case(draw, Sizes(1, one.tokens, one.heads, one.head_dim)),
        case(draw, Sizes(one.batch, 1, one.heads, one.head_dim), causal=True),
        case(draw, one, causal=True, dtype=torch.float64),
        case(draw, other, dtype=torch.float64),
    )
    later_tokens_are_too_loud(learner, draw, one)


def later_tokens_are_too_loud(learner, draw, sizes):
    sizes = Sizes(sizes.batch, sizes.tokens, 2, 3)
    weights = loud_weights(draw.weights(ENTRY, SimpleNamespace(**sizes.settings())), "wq", "wk", "wv", sizes.head_dim)
    for loud in loud_inputs(draw, sizes.batch, sizes.tokens, sizes.settings()["dim"]):
        before, after = learner.outputs(
            *[
                cut_off(case(draw, sizes, causal=True, tensors=dict.fromkeys("qkv", x), weights=weights, dtype=x.dtype))
                for x in loud
            ]
        )
        expect(
            same(after[:, :-1], before[:, :-1]),
            "With is_causal=True a later token whose score is far above the others, and whose value is huge, still comes through. "
            "Is it hidden from all earlier ones, before the softmax? What is filled in must be far below every score: best of all minus infinity.",
        )


@points(0.25)
def test_dropout_still_acts_in_training_only(learner, draw):
    """Nothing else broke: in eval() nothing is dropped; in training the weights are, and the output; dropout=1 drops everything."""
    sizes = drawn_sizes(draw)
    learner.agrees(
        case(draw, sizes, dropout=0.5),
        case(draw, sizes, dropout=0.9, causal=True),
        case(draw, sizes, dropout=1.0, train=True),
        case(draw, sizes, dropout=0.0, train=True),
    )
    sizes = Sizes(8, 6, 4, 3)
    weights = draw.weights(ENTRY, SimpleNamespace(**sizes.settings()))
    tensors = {name: draw.normal(8, 6, 12) for name in "qkv"}
    once, again = learner.outputs(
        *[case(draw, sizes, dropout=0.5, train=True, tensors=tensors, weights=weights) for _ in range(2)]
    )
    expect(not same(once, again), "In training with dropout=0.5 two calls agree: nothing is dropped any more.")
    # all values are 1 and wo is the identity: a head's columns are the sum of the weights that are left, each dropped by itself
    dim = sizes.heads * sizes.head_dim
    weights = weights | {"wv.weight": torch.full((dim, dim), 1 / dim), "wo.weight": torch.eye(dim)}
    tensors = tensors | {"v": torch.ones(8, 6, dim)}
    (dropped,) = learner.outputs(case(draw, sizes, dropout=0.5, train=True, tensors=tensors, weights=weights))
    by_head = dropped.reshape(8, 6, sizes.heads, sizes.head_dim)
    left = by_head[by_head != 0]
    expect(
        not same(left, torch.full_like(left, 2.0)),
        "In training the weights are not dropped any more, the output alone is. attn_dropout was right as given.",
    )
    none_left, some_left = (by_head == 0).any(dim=-1), (by_head != 0).any(dim=-1)
    expect(
        bool((none_left & some_left).any()),
        "In training the output is not dropped any more, the weights alone are. resid_dropout was right as given.",
    )


@points(0.25)
def test_training_still_works(learner, draw):
    """Nothing else broke: gradients reach q, k, v and all four layers."""
    learner.agrees_in_gradients(case(draw, drawn_sizes(draw), causal=True), case(draw, drawn_sizes(draw)))


@points(0.25, role="manners")
def test_inputs_are_left_alone(learner, draw):
    """Nothing else broke: q, k and v are not changed."""
    learner.keeps_inputs(case(draw, drawn_sizes(draw)), case(draw, drawn_sizes(draw), causal=True))


@points(1.25, role="repair")
def test_repair_is_small(learner):
    """The repair is small: at most ten lines out and fourteen in."""
    learner.repaired_with(removed=10, added=14)
