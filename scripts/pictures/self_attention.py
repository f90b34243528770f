#!/usr/bin/env python
"""Draws the pictures of unit 2: projections, weights, and what wrong repairs make of the weights.

Words and seed are those of HackTricks' SelfAttention_v2, so the numbers are those that its code makes on the way.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from drawing import BAD, EMPTY, GOOD, LINE, PALE, TIMES, TINTS, Picture, publish, shade, shade_signed, written

WORDS = ("Your", "journey", "starts", "with", "one", "step")
EMBEDDINGS = torch.tensor(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ],
    dtype=torch.float64,
)
SEED = 789
PARTS = ("query", "key", "value")
D_IN, D_OUT = 3, 2


def matrices() -> list[torch.Tensor]:
    """The weights of W_query, W_key and W_value in the document's order, each as (d_in, d_out)."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        layers = [torch.nn.Linear(D_IN, D_OUT, bias=False) for _ in PARTS]
    return [layer.weight.detach().double().T for layer in layers]


def projections() -> Picture:
    """Rows of X on the left, columns of the matrices on top, and products where the two meet."""
    picture = Picture(
        750,
        402,
        "Six words become queries, keys and values",
        "On the left the six words with three numbers each. On top three matrices of three rows and two columns, for "
        "queries, keys and values. Under each matrix its product with the words: six rows of two numbers.",
    )

    def draw(x: float, y: float, width: float, numbers: torch.Tensor, title: str, digits: int, named: bool) -> None:
        words = [[written(number, digits) for number in row] for row in numbers.tolist()]
        fills = [[shade_signed(number, 1) for number in row] for row in numbers.tolist()]
        picture.table(x, y, words, fills, (width, 27), title=title, rows=WORDS if named else ())

    draw(78, 200, 46, EMBEDDINGS, "X: (6, 3)", 2, True)
    for x, part, matrix in zip((268, 432, 596), PARTS, matrices(), strict=True):
        draw(x, 48, 62, matrix, f"W_{part}: (3, 2)", 4, False)
        picture.arrow((x + 62, 134), (x + 62, 170))
        plural = {"query": "queries", "key": "keys", "value": "values"}[part]
        draw(x, 200, 62, EMBEDDINGS @ matrix, f"{plural}: (6, 2)", 4, False)
    picture.arrow((222, 281), (260, 281))
    picture.text(375, 382, f"each number: the row of X to its left {TIMES} the column of the matrix above it", size=11)
    return picture


def weights() -> Picture:
    """Scaled scores on the left, weights on the right."""
    picture = Picture(
        750,
        322,
        "Scaled scores and weights of six words",
        "Two tables of six by six; the row asks, the column answers. Left the scaled scores, from below 0 to .33. "
        "Right the weights, from .148 to .204, each row with the sum 1.",
    )
    query, key, _ = (EMBEDDINGS @ matrix for matrix in matrices())
    scores = query @ key.T / math.sqrt(D_OUT)
    p_attn = torch.softmax(scores, dim=-1)
    tables: tuple[tuple[int, str, torch.Tensor, Callable[[float], str]], ...] = (
        (70, "scores: query · keyᵀ / √2", scores, lambda number: shade_signed(number, 0.4)),
        (446, "weights: softmax of each row", p_attn, lambda number: shade(number, 0.13, 0.23)),
    )
    for x, title, numbers, colour in tables:
        words = [[written(number) for number in row] for row in numbers.tolist()]
        fills = [[colour(number) for number in row] for row in numbers.tolist()]
        picture.table(x, 72, words, fills, (48, 34), rows=WORDS, columns=WORDS, title=title, size=11, label_size=11)
    picture.arrow((364, 174), (388, 174))
    picture.text(214, 300, "orange: below 0, blue: above", size=11, colour=PALE)
    picture.text(576, 300, "each row sums to 1; a plain mean would have .1667", size=11, colour=PALE)
    return picture


def repairs() -> Picture:
    """The weights of one query on two keys, right and after four wrong repairs, as bars."""
    scores, values = torch.tensor([0.0, math.log(9)], dtype=torch.float64), torch.tensor([8.0, 4.0]).double()
    root = math.sqrt(4)
    bars = (
        ("as it should be", torch.softmax(scores / root, dim=-1)),
        ("scaled twice", torch.softmax(scores / root / root, dim=-1)),
        ("not scaled", torch.softmax(scores, dim=-1)),
        ("every key the same", torch.full((2,), 0.5, dtype=torch.float64)),
        ("as many shares as columns", torch.full((4,), 0.25, dtype=torch.float64)),
    )
    picture = Picture(
        740,
        292,
        "The weights after right and wrong repairs",
        "Five bars of length 1, cut into the weights of one query on two keys. Right: .25 and .75. Scaled twice: "
        ".366 and .634. Not scaled: .1 and .9. Every key the same: .5 and .5. As many shares as columns: four times "
        ".25 for two values.",
    )
    left, long = 196, 360
    picture.text(left + long / 2, 22, "the weights, side by side", size=13, bold=True)
    picture.text(left + long + 90, 22, "the output", size=13, bold=True)
    for place, (name, shares) in enumerate(bars):
        y = 42 + 44 * place
        fits = len(shares) == len(values)
        picture.text(left - 10, y + 16, name, anchor="end", bold=place == 0)
        x = float(left)
        for tint, share in enumerate(shares.tolist()):
            fill = TINTS[tint] if fits else EMPTY
            picture.box(x, y, long * share, 32, fill, written(share, 3), stroke="#ffffff" if fits else LINE)
            x += long * share
        result = f"{float(shares @ values):.3f}".rstrip("0").rstrip(".") if fits else "none: 4 shares, 2 values"
        picture.text(x + 14, y + 16, result, anchor="start", size=12 if fits else 11, colour=BAD if place else GOOD)
    picture.text(
        370,
        274,
        "one query of width 4, two keys with the dot products 0 and 2.1972, the values 8 and 4",
        size=11,
        colour=PALE,
    )
    return picture


if __name__ == "__main__":
    publish("02_self_attention", {"projections": projections, "weights": weights, "repairs": repairs})
