#!/usr/bin/env python
"""Draws the pictures of unit 4: two heads, heads split and merged, the way through the class, one matrix for all."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from drawing import BAD, EMPTY, GOOD, LINE, PALE, TINTS, Picture, publish, shade, written

HEADS, TOKENS, WIDTH = 2, 2, 3
X = torch.arange(TOKENS * HEADS * WIDTH).view(TOKENS, HEADS * WIDTH)
"""The lesson's two tokens: token 0 has the columns 0 to 5, token 1 has 6 to 11."""
CELL = (32, 30)


def draw_numbers(
    picture: Picture, x: float, y: float, numbers: torch.Tensor, *, rows: Sequence[str] = (), title: str = ""
) -> None:
    """A table of X's numbers, each in the colour of the head that it belongs to."""
    values = [[int(number) for number in row] for row in numbers.tolist()]
    fills = [[TINTS[number % (HEADS * WIDTH) // WIDTH] for number in row] for row in values]
    picture.table(
        x, y, [[str(number) for number in row] for row in values], fills, CELL, rows=rows, title=title, size=13
    )


def tokens_of(numbers: torch.Tensor) -> list[str]:
    """Which token each row of the table comes from."""
    return [f"token {int(row[0]) // (HEADS * WIDTH)}" for row in numbers]


SENTENCE = ("the", "dog", "bites", "the", "man")
KINDS = ("article", "noun", "verb", "article", "noun")
SEEKS = {"article": {"verb"}, "noun": {"verb"}, "verb": {"noun"}}
"""Which kinds a word of each kind looks for in head 1."""
SHARPNESS = math.log(36)
"""The score of what a head looks for; all else has 0. One such word among four others gets 36 / (36 + 4) = .9."""


def weights_of_two_heads() -> list[torch.Tensor]:
    """Head 0 compares places, head 1 kinds. A word is a 1 at its place and a 1 at its kind, as its key tells it."""
    length = len(SENTENCE)
    kinds = sorted(SEEKS)
    places = torch.eye(length, dtype=torch.float64)
    kind_keys = torch.tensor([[float(kind == each) for each in kinds] for kind in KINDS], dtype=torch.float64)
    place_queries = places[[max(place - 1, 0) for place in range(length)]]
    kind_queries = torch.tensor([[float(each in SEEKS[kind]) for each in kinds] for kind in KINDS], dtype=torch.float64)
    pairs = ((place_queries, places), (kind_queries, kind_keys))
    return [torch.softmax(SHARPNESS * queries @ keys.T, dim=-1) for queries, keys in pairs]


def two_heads() -> Picture:
    """The weights of both heads beside each other."""
    picture = Picture(
        760,
        332,
        "Two heads that look at different things",
        "Two tables of five by five for “the dog bites the man”; the row asks, the column answers. In head 0 the "
        "largest weight, .90, is always on the word before, in the first row on the word itself. In head 1 it is on "
        "“bites”; “bites” itself looks at “dog” and “man”, with .48 each.",
    )
    titles = ("head 0: the word before", "head 1: the verb, and whom it concerns")
    for x, title, weights in zip((74, 446), titles, weights_of_two_heads(), strict=True):
        # 1/40 lies between two numbers of two digits, and its last bit differs from processor to processor
        words = [[written(round(number, 9), 2) for number in row] for row in weights.tolist()]
        fills = [[shade(number, 0, 1) for number in row] for row in weights.tolist()]
        picture.table(x, 76, words, fills, (54, 40), rows=SENTENCE, columns=SENTENCE, title=title)
    picture.text(380, 306, "row: the word that asks · column: the word that answers; each row sums to 1", size=11)
    return picture


def split_heads() -> Picture:
    """View and transpose on top; at the bottom the view alone, which cuts at other places."""
    picture = Picture(
        760,
        424,
        "Cutting two tokens into two heads, rightly and wrongly",
        "Two tokens of six columns, numbered 0 to 11. Above, view and transpose: head 0 holds 0 1 2 of token 0 and 6 "
        "7 8 of token 1, head 1 the rest. Below, a plain view: head 0 holds 0 to 5, all of token 0, and head 1 all "
        "of token 1.",
    )
    draw_numbers(picture, 72, 100, X, rows=("token 0", "token 1"), title="x: (b, n, h·d)")
    picture.text(168, 182, "blue: columns of head 0", size=11, colour=PALE)
    picture.text(168, 198, "yellow: columns of head 1", size=11, colour=PALE)

    picture.arrow((272, 130), (304, 130))
    cut = X.view(TOKENS, HEADS, WIDTH)
    picture.text(414, 72, ".view(b, n, h, d)", size=13, bold=True, code=True)
    for head, x in enumerate((312, 420)):
        draw_numbers(picture, x, 100, cut[:, head])
    picture.arrow((524, 130), (572, 130))
    picture.text(666, 22, ".transpose(1, 2)", size=13, bold=True, code=True)
    right = cut.transpose(0, 1)
    for head, y in enumerate((68, 156)):
        draw_numbers(picture, 640, y, right[head], rows=tokens_of(right[head]), title=f"head {head}")
    picture.text(414, 190, "right: each head has its", colour=GOOD)
    picture.text(414, 206, "columns of every token", colour=GOOD)

    picture.line((20, 240), (740, 240), dashed=True)
    picture.arrow((272, 322), (372, 322))
    picture.text(168, 322, "the same x")
    wrong = X.view(HEADS, TOKENS, WIDTH)
    picture.text(586, 262, ".view(b, h, n, d)", size=13, bold=True, code=True)
    for head, x in enumerate((436, 640)):
        draw_numbers(picture, x, 306, wrong[head], rows=tokens_of(wrong[head]), title=f"head {head}")
    picture.text(534, 388, "wrong: head 0 holds all of token 0 and nothing of token 1;", colour=BAD)
    picture.text(534, 404, "the halves of one token are taken for two tokens", colour=BAD)
    return picture


def merge_heads() -> Picture:
    """Where the numbers lie in memory, and what joining makes of them with and without the swap."""
    picture = Picture(
        760,
        338,
        "Putting two heads back together, rightly and wrongly",
        "On the left two heads of two tokens and three columns, in memory as 0 1 2 6 7 8 3 4 5 9 10 11. With the "
        "swap first, token 0 gets 0 to 5. Without it, token 0 gets 0 1 2 6 7 8, which is head 0 of both tokens.",
    )
    heads = X.view(TOKENS, HEADS, WIDTH).transpose(0, 1).contiguous()
    for head, y in enumerate((52, 146)):
        draw_numbers(picture, 78, y, heads[head], rows=tokens_of(heads[head]), title=f"head {head}")
    tokens = ("token 0", "token 1")
    picture.arrow((190, 126), (304, 84))
    right = heads.transpose(0, 1).reshape(TOKENS, -1)
    draw_numbers(picture, 376, 52, right, rows=tokens, title="swapped, then joined")
    picture.text(588, 74, "right: the columns", anchor="start", colour=GOOD)
    picture.text(588, 90, "of each token", anchor="start", colour=GOOD)
    picture.arrow((190, 126), (304, 168))
    draw_numbers(picture, 376, 146, heads.reshape(TOKENS, -1), rows=tokens, title="joined without the swap")
    picture.text(588, 168, "wrong: one head", anchor="start", colour=BAD)
    picture.text(588, 184, "of both tokens", anchor="start", colour=BAD)
    picture.line((20, 232), (740, 232), dashed=True)
    draw_numbers(picture, 188, 270, heads.reshape(1, -1), title="the heads in memory: head by head")
    picture.text(380, 320, "joining only counts on in this order, until a token is full", size=11, colour=PALE)
    return picture


def multi_head_attention() -> Picture:
    """The way of x through the class, with two heads."""
    picture = Picture(
        760,
        312,
        "The way through multi-head attention with two heads",
        "From left to right: x goes into W_query, W_key and W_value. Each result is cut into a half for head 0 and a "
        "half for head 1. Each head attends with its three halves. Their results stand side by side and go through "
        "out_proj.",
    )
    picture.box(16, 130, 44, 40, EMPTY, "x", stroke=LINE, round_by=5, size=14, bold=True)
    names = ("queries", "keys", "values")
    for place, (layer, name) in enumerate(zip(("W_query", "W_key", "W_value"), names, strict=True)):
        y = 56 + 80 * place
        picture.arrow((60, 150), (98, y + 14))
        picture.box(100, y, 80, 28, EMPTY, layer, stroke=LINE, round_by=5, code=True)
        picture.arrow((180, y + 14), (218, y + 14))
        picture.text(260, y - 12, name)
        for head in range(HEADS):
            picture.box(220 + 40 * head, y, 40, 28, TINTS[head], str(head), stroke="#ffffff")
    for head, y in enumerate((66, 182)):
        for place in range(3):
            picture.arrow((300, 70 + 80 * place), (360, y + 14 + 20 * place), colour=LINE)
        picture.box(362, y, 158, 68, TINTS[head], round_by=5)
        picture.text(441, y + 22, f"attention, head {head}", bold=True)
        picture.text(441, y + 44, "weights (n, n) of its own", size=10)
        picture.arrow((520, y + 34), (558, 150 + (18 if head else -18)))
    for head in range(HEADS):
        picture.box(560, 114 + 36 * head, 50, 36, TINTS[head], str(head), stroke="#ffffff")
    picture.text(585, 96, "side by side")
    picture.arrow((610, 150), (638, 150))
    picture.box(640, 132, 76, 36, EMPTY, "out_proj", stroke=LINE, round_by=5, code=True)
    picture.arrow((716, 150), (746, 150))
    picture.text(
        380,
        290,
        "0 and 1: the columns of head 0 and of head 1, which meet for the first time in out_proj",
        size=11,
        colour=PALE,
    )
    return picture


def combine_heads() -> Picture:
    """Two matrices below each other, and the same rows dealt out in turn, each with its product with (1, 1)."""
    first, second = torch.tensor([[1, 2], [3, 4]]), torch.tensor([[5, 6], [7, 8]])
    together = torch.cat([first, second])
    dealt = torch.stack([first, second], dim=1).flatten(0, 1)
    picture = Picture(
        760,
        276,
        "One matrix for two heads",
        "Left two matrices, W_0 with the rows 1 2 and 3 4, W_1 with 5 6 and 7 8. In the middle W_0 over W_1: with x "
        "= (1, 1) the rows make 3, 7, 11, 15, cut into 3 7 and 11 15. Right the rows in turn: 3, 11, 7, 15, cut into "
        "3 11 and 7 15.",
    )

    def draw(x: float, y: float, matrix: torch.Tensor, title: str) -> None:
        words = [[str(number) for number in row] for row in matrix.tolist()]
        fills = [[TINTS[number > 4] for number in row] for row in matrix.tolist()]
        picture.table(x, y, words, fills, (36, 36), title=title, size=13)

    draw(40, 52, first, "W_0")
    draw(40, 164, second, "W_1")
    for x, matrix, title, verdict, colour in (
        (216, together, "W_0 over W_1", "right: 3 7 and 11 15", GOOD),
        (516, dealt, "rows in turn", "wrong: 3 11 and 7 15", BAD),
    ):
        draw(x, 70, matrix, title)
        for row, product in enumerate(matrix.sum(dim=-1).tolist()):
            y = 70 + 36 * row
            picture.arrow((x + 76, y + 18), (x + 108, y + 18))
            picture.box(x + 112, y, 40, 36, TINTS[product > 7], str(product), stroke="#ffffff", size=13)
        for head in range(HEADS):
            y = 72 + 72 * head
            picture.line((x + 160, y), (x + 160, y + 68), colour=PALE, width=2)
            picture.text(x + 168, y + 34, f"head {head}", anchor="start")
        picture.text(x + 132, 56, "x · rowᵀ", size=12)
        picture.text(x + 110, 232, verdict, colour=colour)
    picture.arrow((130, 142), (202, 142))
    picture.line((480, 24), (480, 240), dashed=True)
    picture.text(380, 260, "x = (1, 1): the product with a row is the sum of the row", size=11, colour=PALE)
    return picture


if __name__ == "__main__":
    publish(
        "04_multi_head",
        {
            "two_heads": two_heads,
            "split_heads": split_heads,
            "merge_heads": merge_heads,
            "multi_head_attention": multi_head_attention,
            "combine_heads": combine_heads,
        },
    )
