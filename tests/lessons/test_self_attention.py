"""The numbers in the lesson of unit 2 are what torch gives today."""

from __future__ import annotations

import math

import pytest
import torch
from reading import Recomputed, Said, counted, row, written
from torch import nn

LESSON = Recomputed("02_self_attention")

WORDS = torch.tensor(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)
"""Your journey starts with one step."""
SEED, D_IN, D_OUT = 789, 3, 2
PRODUCTS = torch.tensor([0.0, 2.1972])
VALUES = torch.tensor([8.0, 4.0])


def projected() -> list[torch.Tensor]:
    """Queries, keys and values of the six words, with the weights that the document's seed draws."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(SEED)
        layers = [nn.Linear(D_IN, D_OUT, bias=False) for _ in range(3)]
        return [layer(WORDS) for layer in layers]


def numbers_of(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


@LESSON.section("01")
def qkv_parameters(said: Said) -> None:
    said(f"each matrix has {D_IN * D_OUT} numbers and all three together {3 * D_IN * D_OUT}")
    shiny = torch.tensor([0.53, 0.34, 0.98])
    first, second = shiny @ torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    said(f'"shiny", [{", ".join(f"{number:.2f}" for number in shiny)}]')
    said(f"comes out is 0.53 + 0.98 = {first:.2f}, the second 0.34 + 0.98 = {second:.2f}.")
    queries, keys, values = projected()
    said(f"`torch.manual_seed({SEED})`")
    said(
        f"The first query is {written(queries[0, 0])} and {written(queries[0, 1])}, the first key {written(keys[0, 0])} and "
        f"{written(keys[0, 1])}, the first value {written(values[0, 0])} and {written(values[0, 1])}"
    )


@LESSON.section("02")
def qkv_linear(said: Said) -> None:
    width = 64
    layer = nn.Linear(width, width)
    assert (layer.weight.numel(), layer.bias.numel()) == (width * width, width)
    said(f"{width} · {width} weights and {width} biases, {counted(numbers_of(layer))} numbers")
    said(f"the three together have {counted(3 * numbers_of(layer))}")
    said(f"{width} ** -0.5 = 1 / {math.sqrt(width):.0f} = {width**-0.5}")


@LESSON.section("03")
def to_linear(said: Said) -> None:
    weight = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    product = (torch.tensor([1.0, 0.0, 2.0]) @ weight).tolist()
    said(f"the product is [1 + 10, 2 + 12] = [{product[0]:.0f}, {product[1]:.0f}]")
    rows = [", ".join(f"{number:.0f}" for number in each) for each in weight.T.tolist()]
    said(f"The layer keeps the rows [{rows[0]}] and [{rows[1]}]")


@LESSON.section("04")
def scaled_scores(said: Said) -> None:
    said(*(f"{math.sqrt(d):.0f} for d = {d}" for d in (4, 64, 512)))
    torch.manual_seed(0)
    for d in (4, 64, 512):
        products = (torch.randn(100_000, d) * torch.randn(100_000, d)).sum(-1)
        assert abs(products.mean()) < 0.05 * math.sqrt(d) and abs(products.std() / math.sqrt(d) - 1) < 0.02
    assert abs((torch.rand(100_000, 64) * torch.rand(100_000, 64)).sum(-1).mean() - 64 / 4) < 0.1
    said(f"each product is ¼ on average, nothing cancels, and the sum is about d / 4: {64 // 4} for d = 64")
    query = torch.tensor([1.0, -2.0, 3.0, -4.0])
    first, second = (int(query @ torch.tensor(key)) for key in ([1.0, 1.0, 1.0, 1.0], [2.0, 0.0, 0.0, 0.0]))
    said(
        f"The query [1, -2, 3, -4] and the keys [1, 1, 1, 1] and [2, 0, 0, 0] have the dot products {first} and {second}"
    )
    said(f"so the scores are {first // 2} and {second // 2}")


@LESSON.section("05")
def attention(said: Said) -> None:
    scores = PRODUCTS / math.sqrt(4)
    weights = scores.softmax(-1)
    said(f"the keys [0, 0, 0, 0] and [{PRODUCTS[1]:.4f}, 0, 0, 0]")
    said(f"The dot products are 0 and {PRODUCTS[1]:.4f}, divided by √4 they are 0 and {scores[1]:.4f}")
    said(f"the weights {row(weights, 2).replace(' ', ' and ')}, and the output")
    said(f"{written(weights[0], 2)} · 8 + {written(weights[1], 2)} · 4 = {weights @ VALUES:.0f}")
    dropped = torch.tensor([weights[0] / (1 - 0.5), 0.0])
    said(f"`p_attn` would be [{dropped[0]:.1f}, 0]".replace("0.5", ".5") + f" and the output {dropped @ VALUES:.0f}")
    queries, keys, values = projected()
    table = queries @ keys.T / math.sqrt(D_OUT)
    shares = table.softmax(-1)
    said(
        f"from {written(table.min())} to {written(table.max())}",
        f"from {written(shares.min())} to {written(shares.max())}",
    )
    assert set(table.argmax(-1).tolist()) == {0}, 'largest in the column of "Your"'
    first = shares[0] @ values
    said(f"gives ({written(first[0])}, {written(first[1])})")


@LESSON.section("06")
def self_attention(said: Said) -> None:
    scores = PRODUCTS / 2
    weights = scores.softmax(-1)
    said(f"| dot product | 0 | {PRODUCTS[1]:.4f} |", f"dot products 0 and {PRODUCTS[1]:.4f}")
    said(f"| score, divided by √4 | 0 | {scores[1]:.4f} |", f"| weight | {row(weights, 2).replace(' ', ' | ')} |")
    shares = [
        f"{written(weight, 2)} · {value:.0f} = {weight * value:.0f}"
        for weight, value in zip(weights, VALUES, strict=True)
    ]
    said(f"| weight · value | {' | '.join(shares)} |", f"The output is {weights @ VALUES:.0f}.")
    bare = PRODUCTS.softmax(-1)
    said(f"the weights would be {row(bare, 1).replace(' ', ' and ')}, and the output {bare @ VALUES:.1f}")
    said("on (2, 100, 64)")


@LESSON.section("07")
def debug_attn_weights(said: Said) -> None:
    for how, scores in (
        ("As it should be", PRODUCTS / 2),
        ("Scaled twice", PRODUCTS / 4),
        ("Not scaled", PRODUCTS),
        ("Every key the same", PRODUCTS * 0),
    ):
        weights = scores.softmax(-1)
        said(f"{how}: {row(weights, 3).replace(' ', ' and ')}, output {float(weights @ VALUES):.4g}")
    said(f"four times {written(torch.zeros(4).softmax(-1)[0], 3)}")
    said("a tensor of shape (2, 100, 64)", "prints `torch.Size([2, 100, 64])`")
    said(f"2 · 100 · 100 = {counted(2 * 100 * 100)} weights")


@LESSON.section("08")
def debug_keys_t(said: Said) -> None:
    queries, keys, values = projected()
    first = ((queries @ keys.T / math.sqrt(D_OUT)).softmax(-1) @ values)[0]
    said(f"With seed {SEED} the six words give six rows, the first of them [{first[0]:.4f}, {first[1]:.4f}]")


@LESSON.section("09")
def cross_attention(said: Said) -> None:
    query, key = torch.rand(2, 5, 64), torch.rand(2, 9, 64)
    weights = (query @ key.transpose(1, 2) / math.sqrt(64)).softmax(-1)
    assert weights.shape == (2, 5, 9) and torch.allclose(weights.sum(), torch.tensor(10.0))
    said("Each of the 2 · 5 rows of nine weights sums to 1, so all 90 weights together sum to 10.")


@LESSON.section("Try this")
def try_this(said: Said) -> None:
    said.number("2024")  # a date; tests/play/test_lessons.py has it translated


@pytest.mark.parametrize("name", LESSON.with_numbers())
def test_every_number_of_a_section_is_recomputed(name: str) -> None:
    LESSON.check(name)
