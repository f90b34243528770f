"""The numbers that the lessons work out by hand are what torch gives today."""

from __future__ import annotations

import contextlib
import math
import re
import runpy
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
import torch
from torch import Tensor, nn, tensor

from tests import cases

from .reading import BLOCK, LESSONS, ROOT, equations_of, numbers_only, precision_of, row, sections_of, value_of

SECTIONS = {lesson.parent.name: sections_of(lesson) for lesson in LESSONS}
LONG_NUMBER = re.compile(r"(?<![\w.])(?:\d*\.\d{3,}|\d{4,})(?!\w)")
"""What nobody checks in their head: three digits after the point, or four before it."""
KNOWN = cases.table(__file__, "numbers.yml")
X, A = (tensor(KNOWN[name], dtype=torch.float64) for name in ("hello", "heads"))
JOURNEY = tensor(KNOWN["journey"])

Rows = Iterator[tuple[str, str]]
"""Sections, and rows of numbers that stand there."""


@cache
def solution(unit: str, name: str) -> dict[str, Any]:
    """What the file of a reference defines."""
    (file,) = (ROOT / "solutions" / unit).glob(f"*_{name}.py")
    return runpy.run_path(str(file))


def masked(scores: Tensor, hidden: Tensor) -> Tensor:
    return scores.masked_fill(hidden, -torch.inf).softmax(-1)


def later(number: int) -> Tensor:
    return torch.ones(number, number, dtype=torch.bool).triu(1)


def projected(seed: int, number: int) -> list[Tensor]:
    """The six words through layers from 3 to 2 without bias, drawn after the documents' seed."""
    torch.manual_seed(seed)
    return [nn.Linear(3, 2, bias=False)(JOURNEY).detach() for _ in range(number)]


def count(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def soft_lookup() -> Rows:
    scores = X @ X.T
    weights, exps = scores.softmax(-1), scores[1].exp()
    shifted = (scores[1] - scores[1].max()).exp()
    for word, score in zip(X, scores[1], strict=True):
        yield "02", f"{row(word, 2)} {row(word * X[1]).replace(' ', ' + ')} {row(score)}"
    yield "02", row(scores[1].sum())
    for shown in (scores[1], exps, weights[1], exps.sum(), shifted, shifted.sum()):
        yield "03", row(shown)
    for weight, word in zip(weights[1], X, strict=True):
        yield "04", row([weight, *(weight * word)], 6)
    yield "04", row(weights[1] @ X, 6)
    for word, score, weight, result in zip(("Hello", "shiny", "sun"), scores, weights, weights @ X, strict=True):
        for shown, digits in ((score, 4), (weight, 4), (result, 6)):
            yield "05", f"{word} {row(shown, digits)}"
    yield "05", row([weights.min(), weights.max()], 2)


def self_attention() -> Rows:
    products, values = tensor([0.0, 2.1972]), tensor([8.0, 4.0])
    query, key, value = projected(789, 3)
    scores = query @ key.T / math.sqrt(2)
    weights = scores.softmax(-1)
    yield "01", f"first query is {row(query[0])} the first key {row(key[0])} the first value {row(value[0])}"
    for shown, digits in ((products, 4), (products / 2, 4), ((products / 2).softmax(-1), 2)):
        yield "05", row(shown, digits)
    for table in (scores, weights):
        yield "05", f"from {row(table.min())} to {row(table.max())}"
    yield "05", row((weights @ value)[0])
    yield "05", f"would be {row(products.softmax(-1), 1)} the output {row([products.softmax(-1) @ values], 1)}"
    for how, scale in (("should be", 2), ("twice", 4), ("Not scaled", 1), ("same", math.inf)):
        shares = (products / scale).softmax(-1)
        yield "07", f"{how} {row(shares, 3)} output {float(shares @ values):.4g}"
    yield "08", row((weights @ value)[0])


def masks_and_dropout() -> Rows:
    scores, shiny = X @ X.T, (X @ X.T)[1]
    right, late = masked(scores, later(3)), shiny.softmax(-1) * tensor([1, 1, 0])
    yield "02", row(shiny)
    yield "02", f"sum {row(shiny[:2])} -∞ softmax {row(right[1])}"
    yield "03", f"{row(shiny[:1])} NaN {row(shiny[2:])}"
    yield "03", row(shiny[[0, 2]].exp())
    yield "04", row([shiny[:2].exp().sum()])
    yield "04", f"softmax {row(late)} they sum to {row([late.sum()])}"
    yield "04", f"new sum {row(late / late.sum())}"
    yield "04", f"score set to 0 {row((shiny * tensor([1, 1, 0])).softmax(-1))}"
    yield "04", row(right)
    yield "04", f"sum to {row((scores.softmax(-1) * ~later(3)).sum(-1), 2)}"
    three, padding = tensor([1.0, 2.0, 3.0]), tensor([False, False, True])
    yield "05", f"nothing hidden {row(three.softmax(-1))}"
    yield "05", f"before the softmax {row(masked(three, padding))}"
    yield "05", f"1 2 0 {row((three * ~padding).softmax(-1))}"
    yield "05", f"by the mask {row(three.softmax(-1) * ~padding)}"
    weights = tensor([round(float(weight), 4) for weight in shiny.softmax(-1)])
    yield "06", f"Take {row(weights)}"
    yield "06", row(weights / 0.5)
    query, key, value = projected(123, 3)
    scores = query @ key.T
    weights = masked(scores / math.sqrt(2), later(6))
    for of, shown in (("value", value), ("result", weights @ value)):
        for word, each in zip(("Your", "journey"), shown, strict=False):
            yield "07", f'{of} of "{word}" {row(each)}'
    for shown in (scores[1, :2], scores[1, :2] / math.sqrt(2), weights[1, :2]):
        yield "07", row(shown)


def multi_head() -> Rows:
    drawn = projected(123, 6)
    heads = [masked(q @ k.T / math.sqrt(2), later(6)) @ v for q, k, v in (drawn[:3], drawn[3:])]
    for number, word in enumerate(("Your", "journey")):
        alone = [row(head[number]) for head in heads]
        yield "01", f'"{word}" {" ".join(alone)} {" ".join(alone)}'
    yield "02", row(A[0, 0])
    yield "02", row(A[0, 1])
    for head, scores in enumerate(A @ A.mT):
        yield "02", f"head {head} token 0 {row(scores[0])}"
    query, key, value = (each.T[..., None] for each in projected(123, 3))  # two heads of width 1
    out_proj = nn.Linear(2, 2)  # drawn after them
    scores = query @ key.mT
    weights = masked(scores, later(6))
    joined = (weights @ value)[..., 0].T
    yield "06", f'value of "Your" {row(value[:, 0])} value of "journey" {row(value[:, 1])}'
    yield "06", f"against both {row(scores[:, 1, :2])}"
    yield "06", f"on both {row(weights[:, 1, :2])}"
    yield "06", row(joined[0])
    yield "06", row(out_proj(joined[0]).detach())


def grouped_query() -> Rows:
    query = row([count(nn.Linear(128, 128))])
    for heads, name in ((8, "MHA"), (4, "GQA"), (1, "MQA")):
        layer = row([count(nn.Linear(128, heads * 16))])
        yield "02", f"{layer} {layer} {query} {2 * (int(query) + int(layer))}"
        yield "04", f"{heads} {name} {2 * heads * 1000 * 16 * 2}"


def beyond() -> Rows:
    for vector in torch.eye(4, dtype=torch.float64)[:2]:
        turned = solution("06_beyond", "rotary")["apply_rotary"](vector.expand(1, 1, 3, 4))[0, 0, 2]
        yield "04", f"= {row(turned)}"
    scores, three = tensor([1.0, 2.0, 8.0]).log(), tensor([11.0, 22.0, 33.0])
    yield "05", f"{row([scores[:2].softmax(-1) @ three[:2]], 3)} + 33"


def transformer() -> Rows:
    unit = "07_transformer"
    token, ones = tensor([1.0, 1.0, 5.0, 5.0]), torch.ones(4)
    layer_norm = solution(unit, "layer_norm")["layer_norm"]
    yield "01", f"normed {row(layer_norm(token, ones, 0 * ones).round(decimals=3))}"
    scaled = layer_norm(token, tensor([1.0, 2, 1, 2]), tensor([0.0, 0, 10, 10]))
    yield "01", f"bias 0 0 10 10 {row(scaled.round(decimals=3))}"
    yield "01", row((token - token.mean()) / token.std(), 3)
    places = solution(unit, "sinusoidal_positions")["sinusoidal_positions"](14, 4)
    for place in range(4):
        yield "02", f"{place} {row(places[place])}"
    assert torch.allclose(places[0] @ places[3], places[10] @ places[13], atol=1e-5)
    bias = solution(unit, "alibi_bias")["alibi_bias"](2, 4)[:, -1]
    for head, slope in enumerate((16, 256)):
        assert torch.equal(bias[head], -torch.arange(3.0, -1, -1) / slope)
        yield "03", f"{head + 1} -3/{slope} -2/{slope} -1/{slope} 0 {row(bias[head].softmax(-1))}"
    for x, gelu in ((1, 0.8413), (-1, -0.1587)):
        assert nn.functional.gelu(tensor(float(x))) == pytest.approx(gelu, abs=5e-5)
        yield "04", f"GELU {x} = {row([gelu])}"
    flash = solution(unit, "flash_attention")["flash_attention"]
    inputs = torch.zeros(2, 2), torch.zeros(3, 2), tensor([[1.0], [3.0], [8.0]])
    out, logsumexp = flash(*inputs, 1, 2, causal=True)
    for query in range(2):
        yield "06", f"= {row(out[query])} ln {query + 2} = {row(logsumexp[query])}"
    two_heads = solution(unit, "decoder_attention")["DecoderAttention"](128, 8, 2)
    latent = solution(unit, "latent_attention")["LatentAttention"](128, 8, 32)
    _, kept = two_heads(torch.zeros(1, 1000, 128))
    _, latents = latent(torch.zeros(1, 1000, 128))
    yield "07", f"two key/value heads {sum(each.numel() for each in kept)} "
    yield "07", f"latents of width 32 are {latents.numel()}"
    model = solution(unit, "tiny_gpt")["TinyGPT"](26, 32, 4, 2, 12)
    yield "08", f"{count(model.blocks[0])} parameters"
    yield "08", f"{count(model)}"


BY_UNIT = (soft_lookup, self_attention, masks_and_dropout, multi_head, grouped_query, beyond, transformer)


@pytest.mark.parametrize(("unit", "rows_of"), list(zip(SECTIONS, BY_UNIT, strict=True)), ids=list(SECTIONS))
def test_numbers_worked_by_hand_are_those_of_torch(unit: str, rows_of: Callable[[], Rows]) -> None:
    shown = {name: numbers_only(text) for name, text in SECTIONS[unit].items()}
    rows = [(name, " ".join(numbers.split())) for name, numbers in rows_of()]
    for name, numbers in rows:
        assert numbers in shown[name], f"section {name} does not have {numbers}"
    worked = [numbers for _, numbers in rows]
    for text in SECTIONS[unit].values():
        worked += [numbers_only(each.partition(" = ")[2]) for each in equations_of(text)]  # their results
        worked += [output.replace("0.", ".") for language, output in BLOCK.findall(text) if language == "text"]
    known = set(KNOWN["given"]).union(*map(LONG_NUMBER.findall, worked))
    unknown = {name: set(LONG_NUMBER.findall(text)) - known for name, text in shown.items()}
    assert not any(unknown.values()), f"nothing works out {unknown}"


EQUATIONS = [each for sections in SECTIONS.values() for text in sections.values() for each in equations_of(text)]


@pytest.mark.parametrize("equation", EQUATIONS)
def test_an_equation_holds(equation: str) -> None:
    first, *others = equation.split(" = ")
    for side in others:
        assert value_of(side) == pytest.approx(value_of(first), abs=precision_of(side), rel=0)


def test_equations_are_found() -> None:
    assert len(EQUATIONS) >= 50
    assert equations_of("Then .6 · 10 = **6** and d - 1 = 3, 1 + 2 + … + 9 = 45.") == [
        ".6 · 10 = 6",
        "9 · (9 + 1) / 2 = 45",
    ]


def fits(mask: list[int], scores: tuple[int, ...]) -> bool:
    with contextlib.suppress(RuntimeError):
        torch.broadcast_shapes(mask, scores)
        return True
    return False


@cases.rows(KNOWN["masks"], "mask", "heads")
def test_a_padding_mask_with_wrong_axes_runs_for_these_numbers_of_heads(mask: list[int], heads: list[int]) -> None:
    sequences = queries = mask[0]
    assert [each for each in (1, 2, 3) if fits(mask, (sequences, each, queries, 3))] == heads
