#!/usr/bin/env python
"""Draws the pictures of unit 7: a norm, places, slopes, a cache of turned keys, blocks, latents."""

from __future__ import annotations

import math

import torch
from drawing import (
    BAD,
    EMPTY,
    GOOD,
    HIDDEN,
    LINE,
    MINUS,
    PALE,
    TINTS,
    VISIBLE,
    Picture,
    publish,
    shade,
    shade_signed,
    written,
)

UNIT = "07_transformer"


def layer_norm() -> Picture:
    """A token before and after the norm, and the two wrong axes."""
    picture = Picture(
        760,
        262,
        "A layer norm looks at one token, along its width",
        "Left a token of four numbers, 1, 1, 5, 5, as bars around its mean 3; after the norm minus 1, minus 1, 1, 1 "
        "around 0. Right a table of three tokens by four numbers: the norm takes one row, neither a column nor the "
        "whole table.",
    )
    token = torch.tensor([1.0, 1.0, 5.0, 5.0])
    normed = torch.nn.functional.layer_norm(token, (4,), eps=0.0)
    for x, title, numbers, zero, unit in (
        (40, "a token", token.tolist(), 190, 22),
        (230, "after the norm", normed.tolist(), 146, 22),
    ):
        picture.text(x + 76, 24, title, size=13, bold=True)
        picture.line((x - 6, zero), (x + 158, zero))
        mean = sum(numbers) / len(numbers)
        for place, number in enumerate(numbers):
            height = abs(number) * unit
            top = zero - height if number > 0 else zero
            picture.box(x + place * 40, top, 32, height, TINTS[place // 2])
            name = written(number, 0).replace("-", MINUS)
            picture.text(x + place * 40 + 16, top - 12 if number > 0 else top + height + 12, name)
        if mean:
            picture.line((x - 6, zero - mean * unit), (x + 158, zero - mean * unit), colour=GOOD, dashed=True)
            picture.text(x + 76, 222, "dashed: the mean, 3", size=11, colour=PALE)
            picture.text(x + 76, 240, "the root of the variance: 2", size=11, colour=PALE)
        else:
            picture.text(x + 76, 222, "mean 0, variance 1", size=11, colour=PALE)
    picture.line((424, 14), (424, 248), dashed=True)
    picture.text(592, 24, "who is normed together", size=13, bold=True)
    fills = [[EMPTY] * 4, [TINTS[0]] * 4, [EMPTY] * 4]
    picture.table(540, 74, [[""] * 4] * 3, fills, (44, 34), rows=("token 0", "token 1", "token 2"))
    picture.text(628, 56, "width", size=11)
    picture.text(600, 200, "one token's numbers", colour=GOOD)
    picture.text(600, 222, "not a column, or tokens hear each other", size=11, colour=BAD)
    picture.text(600, 240, "without a mask, the later ones too", size=11, colour=BAD)
    return picture


def sinusoidal_positions() -> Picture:
    """Rows of clocks: each column a slower one."""
    places, width = 16, 8
    picture = Picture(
        760,
        424,
        "A row of clocks, read off at each place",
        "A table of sixteen places by eight columns, blue above zero and orange below. The first two columns, sine "
        "and cosine of a quick clock, change colour every three places; the next two every thirty; the last four "
        "hardly change. At place 0 all sines are 0 and all cosines are 1.",
    )
    angles = torch.outer(torch.arange(places), 10_000.0 ** (-2 * torch.arange(width // 2) / width)).double()
    table = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
    words = [[written(number, 2) for number in row] for row in table.tolist()]
    fills = [[shade_signed(number, 1.0) for number in row] for row in table.tolist()]
    columns = [name for clock in range(width // 2) for name in ("sin", "cos")]
    rows = [f"place {place}" for place in range(places)]
    picture.table(84, 66, words, fills, (52, 21), rows=rows, columns=columns, size=10, label_size=11)
    for clock in range(width // 2):
        picture.text(84 + 104 * clock + 52, 30, f"clock {clock}", bold=True)
    picture.text(630, 90, "clock 0 turns once in", size=11, colour=PALE)
    picture.text(630, 106, f"{2 * math.pi:.1f} places", size=11, colour=PALE)
    for clock in range(1, width // 2):
        turn = 2 * math.pi * 10_000.0 ** (2 * clock / width)
        picture.text(630, 106 + 34 * clock, f"clock {clock}: in {turn:,.0f} places", size=11, colour=PALE)
    picture.text(630, 262, "quick clocks tell", size=11)
    picture.text(630, 278, "neighbours apart,", size=11)
    picture.text(630, 294, "slow ones the beginning", size=11)
    picture.text(630, 310, "from the end", size=11)
    return picture


def alibi_bias() -> Picture:
    """What is taken off a score by its distance, in a steep and in a flat head."""
    heads, tokens = 2, 5
    picture = Picture(
        760,
        272,
        "A slope for each head: the farther back, the more is taken off",
        "Two triangles of five tokens by five. In head 1 each step back takes a sixteenth off the score, in head 2 a "
        "two hundred and fifty-sixth, so head 1 looks close by and head 2 far back. Above the diagonal both hide.",
    )
    back = torch.arange(tokens)[:, None] - torch.arange(tokens)
    for head in range(1, heads + 1):
        power = 8 * head // heads
        words = [
            ["" if step < 0 else "0" if not step else f"{MINUS}{step}/{2**power}" for step in row]
            for row in back.tolist()
        ]
        fills = [[HIDDEN if step < 0 else shade(5 - step, 0, 5) for step in row] for row in back.tolist()]
        x = 70 + 370 * (head - 1)
        names = [str(place) for place in range(tokens)]
        picture.table(x, 76, words, fills, (56, 32), rows=names, columns=names, size=11)
        picture.text(x + 140, 26, f"head {head}: slope 1/{2**power}", size=13, bold=True)
    picture.text(210, 258, "row: query, column: key; dark: hidden", size=11, colour=PALE)
    picture.text(580, 258, "added to the scaled scores", size=11, colour=PALE)
    return picture


def decoder_attention() -> Picture:
    """A new token, its place, and keys that were turned once."""
    picture = Picture(
        760,
        250,
        "Keys are turned once, when they come, and lie turned in the cache",
        "Three keys in the cache, turned by 0, 1 and 2 steps; a fourth comes and is turned by 3, and so is its query. "
        "What counts is the difference: from the query to key 1 it is 2. Below, two slips: an offset that is "
        "forgotten makes it minus 1, keys that are turned again make it 1.",
    )
    picture.text(290, 26, "in the cache", size=13, bold=True)
    picture.text(610, 26, "new", size=13, bold=True)
    for place in range(4):
        x = 150 + 130 * place + (60 if place == 3 else 0)
        picture.circle((x, 88), 34)
        tip = (x + 34 * math.cos(place), 88 - 34 * math.sin(place))
        picture.arrow((x, 88), tip, colour="#0b5394", width=2)
        picture.text(x, 138, f"key {place}: turned by {place}", size=11)
    picture.text(58, 88, "pair 0", size=11, colour=PALE)
    picture.line((485, 40), (485, 148), dashed=True)
    rows = (
        ("right: query 3, key 1: 1", "3 " + MINUS + " 1 = 2", GOOD),
        ("offset forgotten: query 0, key 1: 1", "0 " + MINUS + " 1 = " + MINUS + "1", BAD),
        ("old keys turned again: query 3, key 1: 2", "3 " + MINUS + " 2 = 1", BAD),
    )
    for number, (text, angle, colour) in enumerate(rows):
        y = 176 + 26 * number
        picture.text(340, y, text, anchor="end", colour=colour)
        picture.text(360, y, f"between query and key 1: {angle}", anchor="start", colour=colour)
    return picture


def flash_attention() -> Picture:
    """Blocks of queries by blocks of keys: whole ones, cut ones and those that are left out."""
    tokens, side = 8, 26
    picture = Picture(
        760,
        292,
        "Blocks of queries by blocks of keys, and those that nobody needs",
        "A square of eight queries by eight keys in blocks of two by two. The six blocks below the diagonal are seen "
        "whole, the four on it in part, and the six above it are left out. One block at a time is in memory.",
    )
    seen = torch.ones(tokens, tokens, dtype=torch.bool).tril()
    fills = [[VISIBLE if place else HIDDEN for place in row] for row in seen.tolist()]
    for row in range(0, tokens, 2):
        for column in range(row + 2, tokens, 2):
            for place in ((row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)):
                fills[place[0]][place[1]] = EMPTY
    picture.cells(80, 50, [[""] * tokens] * tokens, fills, (side, side))
    for row in range(0, tokens, 2):
        for column in range(0, tokens, 2):
            picture.box(80 + column * side, 50 + row * side, 2 * side, 2 * side, "none", stroke=LINE)
    picture.box(80 + 2 * side + 3, 50 + 4 * side + 3, 2 * side - 6, 2 * side - 6, "none", stroke=GOOD)
    picture.text(184, 30, "keys")
    picture.text(44, 154, "queries")
    picture.text(184, 278, "green frame: the block that is in memory now", size=11, colour=PALE)
    legend = (
        (VISIBLE, "seen: a block below the diagonal needs no mask"),
        (HIDDEN, "hidden: only blocks on the diagonal are cut"),
        (EMPTY, "left out: nothing is computed there"),
    )
    for number, (fill, text) in enumerate(legend):
        picture.box(350, 64 + 34 * number, 20, 20, fill, stroke=LINE)
        picture.text(380, 74 + 34 * number, text, anchor="start")
    picture.text(350, 186, "for each row of queries are kept:", anchor="start")
    for number, text in enumerate(("the maximum so far", "the total so far", "the output so far")):
        picture.text(370, 210 + 22 * number, text, anchor="start", colour=PALE)
    return picture


def latent_attention() -> Picture:
    """What is kept of a token: all keys and values, few heads of them, or a summary."""
    picture = Picture(
        760,
        236,
        "Three caches: every key and value, few heads of them, or a summary",
        "Three bars, what one layer keeps of a token of width 128 with eight heads. All keys and values are the "
        "longest bar; two heads of keys and values are a quarter of it; a latent of width 32 is an eighth, and all "
        "eight heads' keys and values are made out of it again.",
    )
    width, heads, few, latent = 128, 8, 2, 32
    bars = (
        ("all heads", 2 * width, TINTS[0], "keys and values of 8 heads"),
        (f"{few} heads", 2 * width * few // heads, TINTS[1], "shared by the query heads"),
        ("latent", latent, TINTS[2], "k_up and v_up make 8 heads of it, when they are needed"),
    )
    picture.text(380, 26, "numbers kept of one token, in one layer", size=13, bold=True)
    for number, (name, count, fill, text) in enumerate(bars):
        y = 54 + 58 * number
        picture.text(100, y + 15, name, anchor="end", bold=True)
        picture.box(112, y, 2 * count, 30, fill, str(count))
        picture.text(112, y + 42, text, anchor="start", size=11, colour=PALE)
    return picture


if __name__ == "__main__":
    publish(
        UNIT,
        {
            "layer_norm": layer_norm,
            "sinusoidal_positions": sinusoidal_positions,
            "alibi_bias": alibi_bias,
            "decoder_attention": decoder_attention,
            "flash_attention": flash_attention,
            "latent_attention": latent_attention,
        },
    )
