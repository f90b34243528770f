#!/usr/bin/env python
"""Draws the pictures of unit 1: a soft lookup, a softmax, and "Hello shiny sun!" as scores and weights."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from drawing import LINE, PALE, TIMES, TINTS, Picture, publish, shade, written

WORDS = ("Hello", "shiny", "sun")
EMBEDDINGS = torch.tensor([[0.34, 0.22, 0.54], [0.53, 0.34, 0.98], [0.29, 0.54, 0.93]], dtype=torch.float64)
CELL = (76, 46)
PRICES = {"apple": 10.0, "banana": 5.0, "chair": 2.0}
FRUIT = (0.6, 0.4, 0.0)
"""How much of each key there is in "fruit", as the document has it."""
BAR = 150
"""The length of the longest bar."""
ROW = 46


def draw_bars(
    picture: Picture, x: float, y: float, title: str, numbers: Sequence[float], colour: str, *, digits: int
) -> None:
    """A bar for each number below the title, with the number behind it."""
    picture.text(x, y - 22, title, anchor="start", bold=True)
    picture.line((x, y - 6), (x, y + ROW * len(numbers) - 12))
    for place, number in enumerate(numbers):
        length = BAR * number / max(numbers)
        if length:
            picture.box(x, y + ROW * place, length, 24, colour)
        said = written(number, digits) if digits else f"{number:g}"
        picture.text(x + length + 6, y + ROW * place + 12, said, anchor="start")


def soft_lookup() -> Picture:
    """Weights, values and their products, one bar a key."""
    picture = Picture(
        760,
        232,
        "A soft lookup of “fruit”",
        "Three keys with a bar each for weight, value and product: apple .6, 10 and 6; banana .4, 5 and 2; chair 0, 2 "
        "and 0. The products add up to 8.",
    )
    for place, key in enumerate(PRICES):
        picture.text(66, 60 + ROW * place + 12, key, anchor="end")
    values = list(PRICES.values())
    products = [weight * value for weight, value in zip(FRUIT, values, strict=True)]
    columns = (
        ("weight", FRUIT, TINTS[0], 1),
        ("value", values, TINTS[1], 0),
        ("weight · value", products, TINTS[2], 0),
    )
    for x, (title, numbers, colour, digits) in zip((78, 318, 558), columns, strict=True):
        draw_bars(picture, x, 60, title, numbers, colour, digits=digits)
    picture.text(288, 118, TIMES, size=16)
    picture.text(528, 118, "=", size=16)
    picture.line((558, 192), (748, 192), colour=PALE)
    picture.text(558, 210, f"together {sum(products):g}", anchor="start", bold=True)
    return picture


def softmax() -> Picture:
    """Scores, their exps, and shares of the sum, one bar a word."""
    picture = Picture(
        760,
        232,
        "The scores of “shiny” become weights",
        "Three words with a bar each for score, exp and weight: Hello .7842, 2.1907 and .2291; shiny 1.3569, 3.8841 "
        "and .4063; sun 1.2487, 3.4858 and .3646. The exps sum to 9.5606, the weights to 1.",
    )
    scores = EMBEDDINGS @ EMBEDDINGS[WORDS.index("shiny")]
    exps = scores.exp()
    weights = exps / exps.sum()
    for place, word in enumerate(WORDS):
        picture.text(66, 60 + ROW * place + 12, word, anchor="end")
    columns = (("score", scores, TINTS[0]), ("exp(score)", exps, TINTS[1]), ("weight", weights, TINTS[2]))
    for x, (title, numbers, colour) in zip((78, 318, 558), columns, strict=True):
        draw_bars(picture, x, 60, title, numbers.tolist(), colour, digits=4)
    for x, text in ((318, f"together {written(float(exps.sum()))}"), (558, "together 1")):
        picture.line((x, 192), (x + 190, 192), colour=LINE)
        picture.text(x, 210, text, anchor="start", bold=True)
    return picture


def attention_matrix() -> Picture:
    """Scores on the left, weights on the right."""
    picture = Picture(
        700,
        252,
        "Scores and weights of “Hello shiny sun!”",
        "Two tables of three by three; the row asks, the column is looked at. The scores are symmetric. The softmax "
        "makes weights of each row, which then sums to 1.",
    )
    scores = EMBEDDINGS @ EMBEDDINGS.T
    weights = torch.softmax(scores, dim=-1)
    tables = ((70, "scores: X · Xᵀ", scores, 1.6), (400, "weights: softmax(X · Xᵀ)", weights, 0.6))
    for x, title, numbers, high in tables:
        words = [[written(number) for number in row] for row in numbers.tolist()]
        fills = [[shade(number, 0, high) for number in row] for row in numbers.tolist()]
        sums = [f"Σ = {total:.0f}" for total in weights.sum(dim=-1).tolist()] if numbers is weights else []
        picture.table(x, 72, words, fills, CELL, rows=WORDS, columns=WORDS, after=sums, title=title, size=13)
    picture.arrow((308, 141), (344, 141))
    picture.text(350, 232, "row: the word that asks · column: the word it looks at", size=11)
    return picture


if __name__ == "__main__":
    publish("01_soft_lookup", {"soft_lookup": soft_lookup, "softmax": softmax, "attention_matrix": attention_matrix})
