from dataclasses import dataclass

import torch
from families.drawn import query_key_value

from grader.judge.authoring import Case, called_again, expect, points, same

NAMES = ("query", "key", "value")
OUTPUT_AXES, WEIGHTS_AXES = ("batch", "queries", "value width"), ("batch", "queries", "keys")


@dataclass(frozen=True)
class Dropout:
    """What is passed as `dropout`: a module of torch.nn, or only that module's method `forward`, which is a plain callable."""

    name: str
    init: tuple[float, ...] = ()
    train: bool = True
    only_its_method: bool = False

    def made(self, asked):
        module = asked.library_module(self.name, *self.init)
        asked.prepare(module, train=self.train)
        return asked.call(module, "forward", method="__getattribute__") if self.only_its_method else module


# neither is a real dropout: they change every weight, always in the same way, and twice is not the same as once
SHRINKING = Dropout("Softshrink", (0.1,))
BENDING = Dropout("Sigmoid", only_its_method=True)


def tensors(draw, *leading, queries, keys, width, value_width, dtype=torch.float32):
    return query_key_value(draw, leading, queries, keys, width, value_width, dtype=dtype)


def case(qkv, dropout=None, *, by_name=True, seed=0):
    """Tells the pair (output, p_attn)."""
    asked = Case(seed=seed)
    slots = [asked.tensor(each, name=label) for each, label in zip(qkv, NAMES, strict=True)]
    attention = asked.entry("attention")
    if dropout is None:
        asked.output = asked.call(attention, *slots, return_as="output")
    elif by_name:
        asked.output = asked.call(attention, *slots, dropout=dropout.made(asked), return_as="output")
    else:
        asked.output = asked.call(attention, *slots, dropout.made(asked), return_as="output")
    return asked


def part(number, qkv, dropout=None, *, axes=(), seed=0):
    """Tells one of the two alone: 0 the output, 1 the weights."""
    asked = Case(axes=axes, seed=seed)
    slots = [asked.tensor(each) for each in qkv]
    keywords = {"dropout": dropout.made(asked)} if dropout else {}
    pair = asked.call(asked.entry("attention"), *slots, **keywords)
    asked.call(pair, number, method="__getitem__", return_as="output")
    return asked


@points(0.5, visible=True)
def test_worked_example(learner):
    """Scores of 0 and 1.0986 become weights of .25 and .75, and values of 8 and 4 become an output of 5."""
    query = torch.ones(1, 4)
    key = torch.tensor([[0.0, 0.0, 0.0, 0.0], [2.1972, 0.0, 0.0, 0.0]])
    value = torch.tensor([[8.0], [4.0]])
    learner.ask(case((query, key, value)))
    output, weights = learner.outputs(part(0, (query, key, value)), part(1, (query, key, value)))
    expect(
        torch.allclose(weights, torch.tensor([[0.25, 0.75]]), atol=1e-4),
        f"The weights should be .25 and .75; yours are {[round(weight, 4) for weight in weights[0].tolist()]}.",
    )
    expect(
        torch.allclose(output, torch.tensor([[5.0]]), atol=1e-3),
        f"The output should be 5; yours is {round(output.item(), 4)}.",
    )


@points(2, role="main")
def test_agrees_with_formula(learner, draw):
    """The result is (output, p_attn), with p_attn = softmax(query · keyᵀ / √d) and output = p_attn · value."""
    batch, queries, keys, width, value_width = draw.distinct(5, 2, 9)
    sizes = {"queries": queries, "keys": keys, "width": width, "value_width": value_width}
    learner.agrees(
        case(tensors(draw, batch, **sizes)),
        case(tensors(draw, batch, queries=keys, keys=queries, width=value_width, value_width=width)),
        called_again(case(tensors(draw, batch, **sizes)), *tensors(draw, batch, **sizes)),
        # usual sizes, where mistakes hide: as many keys as queries, values as wide as keys
        case(tensors(draw, batch, **{**sizes, "keys": queries})),
        case(tensors(draw, batch, **{**sizes, "value_width": width})),
        case(tensors(draw, batch, queries=queries, keys=queries, width=width, value_width=width)),
        case(tensors(draw, width, queries=width, keys=width, width=width, value_width=width)),
        case(tensors(draw, 1, **sizes)),
        case(tensors(draw, batch, **{**sizes, "queries": 1})),
        case(tensors(draw, batch, **{**sizes, "keys": 1})),
        case(tensors(draw, batch, **{**sizes, "width": 1})),
        case(tensors(draw, batch, **{**sizes, "value_width": 1})),
        case(tensors(draw, batch, **sizes, dtype=torch.float64)),
    )


@points(0.75, role="main")
def test_any_number_of_leading_axes(learner, draw):
    """Without a batch, or with batch and heads, each sequence is treated the same."""
    batch, heads, queries, keys, width, value_width = draw.distinct(6, 2, 9)
    sizes = {"queries": queries, "keys": keys, "width": width, "value_width": value_width}
    size = draw.integer(3, 6)
    learner.agrees(
        case(tensors(draw, **sizes)),
        case(tensors(draw, queries=size, keys=size, width=size, value_width=size)),
        case(tensors(draw, batch, heads, **sizes)),
        case(tensors(draw, size, size, queries=size, keys=size, width=size, value_width=size)),
    )


@points(1.25, role="main")
def test_dropout_acts_on_the_weights(learner, draw):
    """What is passed as `dropout` is applied once, to the weights; the output and p_attn both come after it."""
    batch, heads, queries, keys, width = draw.distinct(5, 2, 7)
    sizes = {"queries": queries, "keys": keys, "width": width, "value_width": width + 1}
    learner.agrees(
        case(tensors(draw, batch, **sizes), SHRINKING),
        case(tensors(draw, batch, **sizes), SHRINKING, by_name=False),
        case(tensors(draw, heads, **{**sizes, "keys": 1}), SHRINKING),
        case(tensors(draw, batch, queries=queries, keys=queries, width=queries, value_width=queries), SHRINKING),
        case(tensors(draw, **sizes), SHRINKING),
        case(tensors(draw, batch, heads, **sizes, dtype=torch.float64), SHRINKING),
    )


@points(0.75)
def test_any_callable_will_do(learner, draw):
    """`dropout` may be a module in either mode, with any probability, or a plain function."""
    batch, queries, keys, width, value_width = draw.distinct(5, 2, 7)
    qkv = tensors(draw, batch, queries=queries, keys=keys, width=width, value_width=value_width)
    learner.agrees(
        case(qkv, Dropout("Identity")),
        case(qkv, Dropout("Dropout", (0.5,), train=False)),
        case(qkv, Dropout("Dropout", (0.0,))),
        case(qkv, Dropout("Dropout", (1.0,))),  # drops every weight, so that nothing is left to chance
        case(qkv, BENDING),
        case(qkv, BENDING, by_name=False),
    )


@points(0.5)
def test_real_dropout(learner, draw):
    """With nn.Dropout in training each weight is dropped or divided by 1 - p, and the output uses just these weights."""
    p, seed = 0.25, draw.seed()
    qkv = tensors(draw, 40, queries=6, keys=8, width=4, value_width=3)
    dropout = Dropout("Dropout", (p,))
    clean, weights, output = learner.outputs(
        part(1, qkv, axes=WEIGHTS_AXES),
        part(1, qkv, dropout, axes=WEIGHTS_AXES, seed=seed),
        part(0, qkv, dropout, axes=OUTPUT_AXES, seed=seed),
    )
    kept = weights != 0
    expect(
        same(weights, clean * kept / (1 - p)),
        "With nn.Dropout in training, each weight of p_attn should be 0 or the usual weight divided by 1 - p. "
        "Is `dropout` called once, after the softmax, and are the weights left as it gives them?",
    )
    expect(
        0.69 < float(kept.float().mean()) < 0.81,
        "With nn.Dropout(0.25) in training, about a quarter of p_attn should be 0. Is p_attn returned after the dropout?",
    )
    expect(
        same(output, weights @ qkv[2]),
        "With nn.Dropout in training, the output is not p_attn · value for the p_attn returned. Drop once, then use these weights.",
    )


@points(0.75)
def test_gradients_reach_all_three(learner, draw):
    """Gradients flow from output and p_attn back to query, key and value."""
    batch, queries, keys, width, value_width = draw.distinct(5, 2, 7)
    sizes = {"queries": queries, "keys": keys, "width": width, "value_width": value_width}
    learner.agrees_in_gradients(
        case(tensors(draw, batch, **sizes)),
        case(tensors(draw, **sizes)),
        case(tensors(draw, batch, **sizes), BENDING),
    )


@points(0.25, role="manners")
def test_order_of_keys_does_not_matter(learner, draw):
    """Keys and values in another order give the same output, and the weights in that order."""
    batch, queries, keys, width, value_width = draw.distinct(5, 3, 8)
    query, key, value = tensors(draw, batch, queries=queries, keys=keys, width=width, value_width=value_width)
    order = draw.order(keys)
    mixed = query, key[:, order], value[:, order]
    output, weights, other_output, other_weights = learner.outputs(
        part(0, (query, key, value), axes=OUTPUT_AXES),
        part(1, (query, key, value), axes=WEIGHTS_AXES),
        part(0, mixed, axes=OUTPUT_AXES),
        part(1, mixed, axes=WEIGHTS_AXES),
    )
    expect(
        same(other_output, output) and same(other_weights, weights[..., order]),
        "With keys and values in another order, the output changes or the weights are not just in that other order. "
        "Is there a mask, or does the softmax run over another axis than the keys?",
    )


@points(0.25, role="manners")
def test_inputs_are_left_alone(learner, draw):
    """Query, key and value are not changed."""
    learner.keeps_inputs(
        case(tensors(draw, 2, queries=3, keys=4, width=5, value_width=6)),
        case(tensors(draw, 2, queries=3, keys=3, width=3, value_width=3), BENDING),
    )
