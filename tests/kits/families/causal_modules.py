"""Checks of modules with a causal mask, `Class(d_in, ..., context_length, dropout, ...)` called with x (batch, tokens, d_in).

An exercise's own sizes are a dataclass with `batch`, `tokens`, `d_in`, `spare`, by which context_length is longer than the
input, and `init(dropout=0.0)`, the constructor's arguments; `case(draw, sizes, ...)` is `asked` with its class.
"""

from dataclasses import replace

import torch
from families.loud import hides_the_last_token, loud_inputs

from grader.judge.authoring import called_again, expect, module, same

SEVEN = 7


def asked(entry, axes, draw, sizes, *, dropout=0.0, x=None, weights=None, dtype=torch.float32, train=False, **keywords):
    """A module of this class with random weights, called once."""
    init = sizes.init(dropout)
    if x is None:
        x = draw.normal(sizes.batch, sizes.tokens, sizes.d_in, dtype=dtype)
    weights = weights or draw.weights(entry, *init, **keywords)
    settings = {"axes": axes, "train": train, "dtype": dtype, "seed": draw.seed()}
    case = module(entry, *init, weights=weights, inputs={"x": x}, **settings, **keywords)
    if dropout or train:
        case.said = f"with dropout = {dropout:g} {'in training' if train else 'in eval()'}"
    return case


def future_has_no_say(learner, draw, case, sizes, weights, no_nan=""):
    """Check that of seven tokens a later one changes no earlier output, and the first one all of them."""
    # with queries of 0 all visible tokens weigh the same, so that the first one is heard everywhere
    alike = {**weights, "W_query.weight": torch.zeros_like(weights["W_query.weight"])}
    x, seen = draw.normal(sizes.batch, SEVEN, sizes.d_in), draw.integer(2, 5)
    later = torch.cat([x[:, :seen], draw.normal(sizes.batch, SEVEN - seen, sizes.d_in)], dim=1)
    earlier = torch.cat([draw.normal(sizes.batch, 1, sizes.d_in), x[:, 1:]], dim=1)
    before, after, alone, even, uneven = learner.outputs(
        case(draw, sizes, x=x, weights=weights),
        case(draw, sizes, x=later, weights=weights),
        case(draw, replace(sizes, tokens=seen, spare=SEVEN - seen), x=x[:, :seen], weights=weights),
        case(draw, sizes, x=x, weights=alike),
        case(draw, sizes, x=earlier, weights=alike),
    )
    if no_nan:
        expect(not before.isnan().any(), no_nan)
    expect(
        same(after[:, :seen], before[:, :seen]),
        "Outputs changed although only later tokens did. Is every later token hidden before the softmax, and nothing dropped in eval()?",
    )
    expect(
        same(alone, before[:, :seen]),
        "The first tokens alone give other outputs than with more tokens behind them. Which part of the mask do they use?",
    )
    expect(
        not any(same(uneven[:, i], even[:, i]) for i in range(SEVEN)),
        "The first token was changed, but some outputs stayed as they were. Every token sees itself and all earlier ones.",
    )


def hides_later_tokens(learner, draw, case, sizes, weights):
    """Check that the last token weighs nothing; `weights` are loud ones."""
    for loud in loud_inputs(draw, sizes.batch, sizes.tokens, sizes.d_in):
        hides_the_last_token(learner, *[case(draw, sizes, x=x, weights=weights, dtype=x.dtype) for x in loud])


def has_a_bias_when_asked_for(learner, draw, case, drawn_sizes):
    """Check qkv_bias."""
    sizes = drawn_sizes(draw)
    learner.agrees(
        case(draw, sizes, qkv_bias=True),
        case(draw, drawn_sizes(draw, spare=2), qkv_bias=True),
        case(draw, sizes, qkv_bias=False),
    )


def forgets_each_call(learner, draw, case, sizes, made):
    """Check calls of one module: for a long, a short, again the long input, and for others of the same size.

    `made`: the class and the arguments with which the module is made.
    """
    longer = case(draw, sizes)
    (x,) = longer.inputs.values()
    batch, tokens, width = longer.steps[x.number]["value"].shape
    longer.call(longer.module, draw.normal(batch + 1, tokens - 1, width), return_as="the second output")
    longer.call(longer.module, x, return_as="the third output")
    again = case(draw, sizes)
    learner.agrees(longer, called_again(again, draw.normal(batch, tokens, width), weights=draw.weights(*made)))


def has_mask_as_buffer(learner, case):
    """Check that a case's module has a buffer named `mask`."""
    case.buffers(case.module)
    (answer,) = learner.ask(case)
    expect(
        "mask" in answer["buffers"],
        'There is no buffer named `mask`. Make it with self.register_buffer("mask", …), so that it moves along with '
        "the module.",
    )
