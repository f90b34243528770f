"""The numbers in the lesson of unit 6 are what torch gives today."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from reading import Recomputed, Said, counted, row, written

LESSON = Recomputed("06_beyond")

LONG = 10_000


@LESSON.section("")
def opening(said: Said) -> None:
    said(f"{LONG * LONG * 4 // 1_000_000} million bytes, for one head of one layer")


@LESSON.section("01")
def sdpa(said: Said) -> None:
    alike, values = torch.zeros(3, 2), torch.tensor([[1.0], [2.0], [4.0]])
    later = torch.ones(3, 3).triu(1).bool()
    for how, mask in (("the opposite of the mask", ~later), ("the mask as it is", later)):
        result = F.scaled_dot_product_attention(alike, alike, values, attn_mask=mask).flatten().tolist()
        said(f"| {how} | {', '.join(f'{number:.4g}' for number in result)} |")
    said("the results are 1, 1.5 and 2.333.", "the results are 3, 4 and 0.")


@LESSON.section("02")
def sliding_window_mask(said: Said) -> None:
    said(f"token {counted(LONG)} looks at {counted(LONG)} tokens")
    place = torch.arange(9)
    distance = place[:, None] - place
    causal, window = int((distance >= 0).sum()), int(((distance >= 0) & (distance < 3)).sum())
    said(f"1 + 2 + … + 9 = {causal} of {9 * 9}", f"1 + 2 + 3 · 7 = {window}")
    said(f"a full lower triangle of {causal} places", f"a band of {window} places")


@LESSON.section("03")
def kv_cache(said: Said) -> None:
    tokens = 1000
    said(f"For a text of {counted(tokens)} tokens that is {counted(tokens)} keys to compute")
    said(f"1 + 2 + … + {counted(tokens)} = {counted(sum(range(1, tokens + 1)))}")


@LESSON.section("04")
def rotary(said: Said) -> None:
    d, base, position = 4, 10_000.0, 2
    speeds = [base ** (-2 * pair / d) for pair in range(d // 2)]
    said(
        f"d = {d} and base {counted(int(base))}. The first pair turns by {speeds[0]:.0f} radian a token (base⁰), the second by {speeds[1]:.2f}"
    )
    said(f"pair 0 as an arrow that turns by {speeds[0]:.0f} radian", f"pair 1 turns by {written(speeds[1], 2)} radian")
    for pair, name in ((0, "2"), (1, written(position * speeds[1], 2))):
        angle = position * speeds[pair]
        cos, sin = math.cos(angle), math.sin(angle)
        symbols, numbers = ["0"] * d, [0.0] * d
        symbols[pair], symbols[pair + d // 2] = f"cos {name}", f"sin {name}"
        numbers[pair], numbers[pair + d // 2] = cos, sin
        said(f"[{', '.join(symbols)}] = [{row(numbers).replace(' ', ', ')}] |")
    said(f"position 100 stands at {100 * speeds[1]:.0f} radian")


@LESSON.section("05")
def tiled_attention(said: Said) -> None:
    said(f"For {counted(LONG)} tokens the scores are {LONG * LONG // 1_000_000} million numbers")
    scores, values = torch.tensor([1.0, 2.0, 8.0]).double().log(), torch.tensor([11.0, 22.0, 33.0]).double()
    exps = (scores[:2] - scores[1]).exp()
    total, output = exps.sum(), exps @ values[:2]
    said(f"| ln 1, ln 2 | ln 2 | | 1/2 + 1 = {total:g} | 11/2 + 22 = {output:g} |")
    shrink = (scores[1] - scores[2]).exp()
    new_total, new_output = total * shrink + 1, output * shrink + values[2]
    said(
        f"| ln 8 | ln 8 | 2/8 = {written(shrink, 2)} | {total:g} · {written(shrink, 2)} + 1 = {new_total:g} "
        f"| {output:g} · {written(shrink, 2)} + 33 = {new_output:g} |"
    )
    said(f"{new_output:g} / {new_total:g} = {new_output / new_total:g}.", "= 319 / 11 = 29.")
    assert math.isclose(float(scores.softmax(-1) @ values), 29) and 1 * 11 + 2 * 22 + 8 * 33 == 319
    first = scores[:2].softmax(-1) @ values[:2]
    said(f"({first:.3f} + 33) / 2 = {(first + 33) / 2:.3f}")
    said(f"total {total:g} and output {output:g} after the first block; both times {written(shrink, 2)}")
    said(f"make {new_total:g} and {new_output:g}; the result is {new_output / new_total:g}.")


@pytest.mark.parametrize("name", LESSON.with_numbers())
def test_every_number_of_a_section_is_recomputed(name: str) -> None:
    LESSON.check(name)
