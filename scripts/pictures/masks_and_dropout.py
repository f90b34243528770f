#!/usr/bin/env python
"""Draws the pictures of unit 3: causal masks, weights under a mask, and padding masks on the wrong axes."""

from __future__ import annotations

import math

import torch
from drawing import BAD, GOOD, HIDDEN, LINE, PALE, VISIBLE, Picture, publish, shade, written

WORDS = ("Hello", "shiny", "sun")
EMBEDDINGS = torch.tensor([[0.34, 0.22, 0.54], [0.53, 0.34, 0.98], [0.29, 0.54, 0.93]], dtype=torch.float64)


def causal_mask() -> Picture:
    """The mask that is wanted, and those of the diagonals to its left and right."""
    picture = Picture(
        750,
        296,
        "Three diagonals to begin the causal mask at",
        "Three tables of four by four for the tokens BOS, I, like, you. From diagonal 1 on, the mask hides what "
        "stands after the query. From diagonal 0 on it hides the token itself too. From diagonal 2 on it shows one "
        "token of the future.",
    )
    tokens = ("<BOS>", "I", "like", "you")
    masks = (
        (1, "right: hides what", "stands after the query", GOOD),
        (0, "hides the token itself;", "the first row sees nothing", BAD),
        (2, "shows one token", "of the future", BAD),
    )
    for x, (diagonal, above, below, colour) in zip((68, 316, 564), masks, strict=True):
        mask = torch.ones(4, 4, dtype=torch.bool).triu(diagonal=diagonal).tolist()
        words = [[str(hidden) for hidden in row] for row in mask]
        fills = [[HIDDEN if hidden else VISIBLE for hidden in row] for row in mask]
        title = f"diagonal={diagonal}"
        picture.table(x, 68, words, fills, (42, 36), rows=tokens, columns=tokens, title=title, size=11, label_size=11)
        picture.text(x + 84, 228, above, colour=colour)
        picture.text(x + 84, 245, below, colour=colour)
    picture.text(375, 278, "row: the query · column: the key · True: hidden", size=11, colour=PALE)
    return picture


def masked_weights() -> Picture:
    """Masked scores, what the softmax makes of them, and what is left when the mask comes after the softmax."""
    picture = Picture(
        760,
        236,
        "A mask before the softmax and a mask after it",
        "Three tables for Hello, shiny and sun. Left the scores with minus infinity for later words. In the middle "
        "their softmax: later words get 0 and each row sums to 1. Right the plain weights with zeros put in "
        "afterwards: rows sum to .27, .64 and 1.",
    )
    scores = EMBEDDINGS @ EMBEDDINGS.T
    mask = torch.ones(3, 3, dtype=torch.bool).triu(diagonal=1)
    masked = scores.masked_fill(mask, -torch.inf)
    tables = (
        (62, "scores, later words hidden", masked, 1.9),
        (304, "mask, then softmax", torch.softmax(masked, dim=-1), 1.0),
        (562, "softmax, then mask", torch.softmax(scores, dim=-1).masked_fill(mask, 0), 1.0),
    )
    for x, title, numbers, high in tables:
        words = [[written(number) for number in row] for row in numbers.tolist()]
        fills = [
            [HIDDEN if hidden else shade(number, 0, high) for number, hidden in zip(row, hides, strict=True)]
            for row, hides in zip(numbers.tolist(), mask.tolist(), strict=True)
        ]
        sums = [f"Σ {written(total, 2)}" for total in numbers.sum(dim=-1).tolist()] if x > 62 else []
        picture.table(
            x, 72, words, fills, (48, 40), rows=WORDS, columns=WORDS, after=sums, title=title, size=11, label_size=11
        )
    picture.arrow((216, 132), (252, 132))
    picture.line((509, 24), (509, 214), dashed=True)
    picture.text(376, 212, "right: visible words share the whole 1", size=11, colour=GOOD)
    picture.text(636, 212, "wrong: most rows lose a part", size=11, colour=BAD)
    return picture


def padding_mask() -> Picture:
    """One padding mask with its axis of keys in three places; with three sequences none of them is an error."""
    attention_mask = torch.tensor([[1, 1, 1], [1, 1, 0], [1, 0, 0]])
    ways = (
        (
            "[:, None, None, :]",
            attention_mask[:, None, None, :],
            "right: hides columns,",
            "each sequence its own keys",
            GOOD,
        ),
        (
            "[:, None, :, None]",
            attention_mask[:, None, :, None],
            "hides rows: queries. A row",
            "without a key becomes NaN",
            BAD,
        ),
        ("as it is", attention_mask, "one table for all three,", "a row of it for each query", BAD),
    )
    picture = Picture(
        700,
        452,
        "A padding mask on the right axis and on wrong ones",
        "Nine tables of three by three: three sequences with the masks 1 1 1, 1 1 0 and 1 0 0, each handled in three "
        "ways. With axes put in for heads and queries, padding hides columns. With the last two axes exchanged it "
        "hides rows. As it is, the mask becomes one and the same table for all sequences.",
    )
    left, side = 296, 32
    for sequence, mask in enumerate(attention_mask.tolist()):
        middle = left + 132 * sequence + 1.5 * side
        picture.text(middle, 20, f"sequence {sequence}", size=13, bold=True)
        picture.text(middle, 39, "mask " + " ".join(map(str, mask)))
    for way, (code, mask, above, below, colour) in enumerate(ways):
        y = 58 + 124 * way
        picture.text(20, y + 22, code, anchor="start", code=code.startswith("["), size=13, bold=True)
        picture.text(20, y + 50, above, anchor="start", colour=colour)
        picture.text(20, y + 68, below, anchor="start", colour=colour)
        scores = torch.zeros(3, 1, 3, 3).masked_fill(mask == 0, -torch.inf)
        for sequence, rows in enumerate(scores[:, 0].isinf().tolist()):
            words = [[written(-math.inf) if hidden else "" for hidden in row] for row in rows]
            fills = [[HIDDEN if hidden else VISIBLE for hidden in row] for row in rows]
            picture.cells(left + 132 * sequence, y, words, fills, (side, side))
        if way:
            picture.line((20, y - 14), (680, y - 14), colour=LINE, width=0.5)
    picture.text(350, 434, "row: the query · column: the key · the mask has 0 for padding", size=11, colour=PALE)
    return picture


if __name__ == "__main__":
    publish(
        "03_masks_and_dropout",
        {"causal_mask": causal_mask, "masked_weights": masked_weights, "padding_mask": padding_mask},
    )
