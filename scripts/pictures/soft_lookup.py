#!/usr/bin/env python
"""Draws the picture of unit 1: "Hello shiny sun!" as scores XXᵀ and as weights softmax(XXᵀ)."""

from __future__ import annotations

import torch
from drawing import Picture, publish, shade, written

WORDS = ("Hello", "shiny", "sun")
EMBEDDINGS = torch.tensor([[0.34, 0.22, 0.54], [0.53, 0.34, 0.98], [0.29, 0.54, 0.93]], dtype=torch.float64)
CELL = (76, 46)


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
    publish("01_soft_lookup", {"attention_matrix": attention_matrix})
