#!/usr/bin/env python
"""Draws the pictures of unit 6: the library's mask, sliding window, key/value cache, rotary embedding, tiles."""

from __future__ import annotations

import math

import torch
from drawing import BAD, EMPTY, GOOD, HIDDEN, LINE, PALE, TIMES, TINTS, VISIBLE, Picture, publish, written


def sdpa() -> Picture:
    """Our mask, the library's, and what comes of passing the wrong one."""
    picture = Picture(
        760,
        268,
        "What True means to us and to the library",
        "Three tables of three by three. Left our mask: True, which hides, above the diagonal. Middle its "
        "opposite: True, which takes part, on and below the diagonal; results 1, 1.5 and 2.333. Right our mask passed "
        "as it is: only later tokens take part; results 3, 4 and 0.",
    )
    values = torch.tensor([1.0, 2.0, 4.0]).double()
    hidden = torch.ones(3, 3, dtype=torch.bool).triu(1)
    picture.table(
        62,
        66,
        [[str(bool(place)) for place in row] for row in hidden.tolist()],
        [[HIDDEN if place else VISIBLE for place in row] for row in hidden.tolist()],
        (48, 38),
        rows=("0", "1", "2"),
        columns=("0", "1", "2"),
        title="ours: True hides",
        size=11,
    )
    tables = ((296, "~hidden: True takes part", ~hidden), (544, "hidden, taken for the library's", hidden))
    for x, title, mask in tables:
        words = [[str(bool(place)) for place in row] for row in mask.tolist()]
        fills = [[VISIBLE if place else HIDDEN for place in row] for row in mask.tolist()]
        seen = mask.sum(-1).clamp(min=1)  # a row in which nothing takes part gives 0
        results = [f"{number:.4g}" for number in ((mask.double() @ values) / seen).tolist()]
        numbers = ("0", "1", "2")
        picture.table(x, 66, words, fills, (48, 38), rows=numbers, columns=numbers, after=results, title=title, size=11)
    picture.text(466, 56, "result", size=11, colour=PALE)
    picture.text(714, 56, "result", size=11, colour=PALE)
    picture.text(134, 202, "query down, key across", size=11, colour=PALE)
    picture.text(368, 202, "right: the opposite of the mask", colour=GOOD)
    picture.text(616, 202, "wrong, and no error", colour=BAD)
    for x, colour, text in ((240, VISIBLE, "seen"), (400, HIDDEN, "hidden")):
        picture.box(x, 230, 18, 18, colour)
        picture.text(x + 26, 239, text, anchor="start")
    return picture


def sliding_window() -> Picture:
    """The causal mask on the left, the sliding window on the right."""
    words = ("this", "is", "the", "seed", "that", "lay", "in", "the", "ground")
    window, side = 3, 30
    picture = Picture(
        760,
        380,
        "A causal mask and a sliding window of three",
        "Two tables of nine by nine. In the causal mask each word sees itself and all before it, 45 places. In the "
        "window it sees itself and the two before it, 24 places in a band along the diagonal.",
    )
    place = torch.arange(len(words))
    distance = place[:, None] - place
    masks = (
        ("causal mask: 45 visible", distance < 0),
        (f"sliding window of {window}: 24 visible", (distance < 0) | (distance >= window)),
    )
    for x, (title, hidden) in zip((82, 456), masks, strict=True):
        fills = [[HIDDEN if is_hidden else VISIBLE for is_hidden in row] for row in hidden.tolist()]
        blank = [[""] * len(words)] * len(words)
        columns = [str(number) for number in range(len(words))]
        rows = [f"{word} {number}" for number, word in enumerate(words)]
        picture.table(x, 62, blank, fills, (side, side), rows=rows, columns=columns, title=title)
    for x, colour, text in ((220, VISIBLE, "visible (False)"), (400, HIDDEN, "hidden (True)")):
        picture.box(x, 349, 18, 18, colour)
        picture.text(x + 26, 358, text, anchor="start")
    return picture


def kv_cache() -> Picture:
    """A row of scores for each step on the left; two tokens at once, with a right and a wrong mask, on the right."""
    picture = Picture(
        760,
        316,
        "What a cache saves, and the mask it needs",
        "Left five steps of one token. Each makes one row of scores: one key is new, all earlier ones are kept. "
        "Right a mask for two new tokens after three kept ones: only the later new token is hidden from the earlier. "
        "A mask that starts at the upper left again hides a new token from itself.",
    )
    steps = 5
    picture.text(170, 20, "one token a step", size=13, bold=True)
    words = [["kept"] * step + ["new"] + [""] * (steps - step - 1) for step in range(steps)]
    fills = [[TINTS[0]] * step + [TINTS[1]] + [EMPTY] * (steps - step - 1) for step in range(steps)]
    numbers = [str(number) for number in range(steps)]
    picture.table(
        70, 68, words, fills, (42, 38), rows=[f"step {n}" for n in numbers], columns=numbers, size=11, label_size=11
    )
    picture.text(170, 276, "a row of scores, one key and one value a step;", size=11, colour=PALE)
    picture.text(170, 292, "grey: later tokens, not there yet", size=11, colour=PALE)

    picture.line((330, 14), (330, 302), dashed=True)
    picture.text(560, 20, "three kept, then two new ones at once", size=13, bold=True)
    hidden = torch.ones(2, 5, dtype=torch.bool)
    masks = (
        (68, hidden.triu(diagonal=4), "right: new token 0 is token 3 of the text", GOOD),
        (200, hidden.triu(diagonal=1), "wrong: the corner of a mask for a new text", BAD),
    )
    for y, mask, verdict, colour in masks:
        rows = ("new token 0", "new token 1")
        words = [["hidden" if place else "" for place in row] for row in mask.tolist()]
        fills = [[HIDDEN if place else VISIBLE for place in row] for row in mask.tolist()]
        picture.table(
            448, y, words, fills, (54, 36), rows=rows, columns=numbers if y == 68 else (), size=11, label_size=11
        )
        picture.text(560, y + 90, verdict, colour=colour)
    return picture


def rotary() -> Picture:
    """Which entries make a pair, and how far each pair is turned at the first positions."""
    d, base = 4, 10_000.0
    picture = Picture(
        760,
        312,
        "Pairs of entries, turned by an angle that grows with the position",
        "Left four entries: 0 goes with 2 and 1 with 3; the paper pairs 0 with 1 and 2 with 3. In the middle the "
        "first pair, turned by one radian a position: positions 0 to 3 point in four directions. Right the second "
        "pair, a hundred times slower: positions 0 to 3 point nearly the same way, and position 100 stands at one "
        "radian.",
    )
    picture.text(126, 20, "who is a pair?", size=13, bold=True)
    left, y, side = 38, 132, 44
    for entry in range(d):
        picture.box(left + side * entry, y, side, side, TINTS[entry % 2], str(entry), stroke="#ffffff", size=14)
    for first in range(d // 2):
        start, end = left + side * (first + 0.5), left + side * (first + d // 2 + 0.5)
        picture.curve((start, y - 3), ((start + end) / 2, y - 62), (end, y - 3), colour=GOOD)
    picture.text(126, 76, "here: i and i + d/2", colour=GOOD)
    for first in range(0, d, 2):
        start, end = left + side * (first + 0.5), left + side * (first + 1.5)
        picture.curve((start, y + side + 3), ((start + end) / 2, y + side + 42), (end, y + side + 3), dashed=True)
    picture.text(126, 216, "the paper: neighbours", colour=PALE)
    picture.text(126, 252, "half-split: the halves", size=11, colour=PALE)
    picture.text(126, 268, "[0 1] and [2 3] are x1 and x2", size=11, colour=PALE)

    radius = 84
    for pair, (x, shown) in enumerate(((366, (0, 1, 2, 3)), (600, (0, 1, 2, 3, 100)))):
        y = 160
        speed = base ** (-2 * pair / d)
        picture.text(x, 20, f"pair {pair}: entries {pair} and {pair + d // 2}", size=13, bold=True)
        picture.text(x, 42, f"{written(speed, 2)} radian a position")
        picture.line((x - radius - 8, y), (x + radius + 8, y), width=0.5)
        picture.line((x, y - radius - 8), (x, y + radius + 8), width=0.5)
        picture.circle((x, y), radius)
        for position in shown:
            angle = position * speed
            along, up = math.cos(angle), math.sin(angle)
            tip = (x + radius * along, y - radius * up)
            picture.arrow((x, y), tip, colour="#0b5394", width=2)
            if pair == 0 or position > 3:
                name = f"{position}" if position < 100 else "position 100"
                reach = radius + 16
                where = (x + reach * along, y - reach * up)
                picture.text(*where, name, bold=True, anchor="middle" if position < 100 else "start")
        if pair:
            picture.text(x + radius + 12, y - 8, "0 1 2 3", anchor="start", bold=True, size=11)
        picture.text(x, 276, "the vector (1, 0) at the positions", size=11, colour=PALE)
        picture.text(x, 292, "0, 1, 2 and 3" + (", and at 100" if pair else ""), size=11, colour=PALE)
    return picture


def tiled_attention() -> Picture:
    """Blocks of the score matrix on the left, the lesson's worked number on the right."""
    scores, values, block = torch.tensor([1.0, 2.0, 8.0]).double().log(), torch.tensor([11.0, 22.0, 33.0]).double(), 2
    picture = Picture(
        760,
        330,
        "Attention in blocks, with a running maximum and total",
        "Left a matrix of scores of which only one block of columns exists at a time. Right the worked number in two "
        "steps: after the block with ln 1 and ln 2 total 1.5 and output 27.5; both are shrunk by .25 before the "
        "block with ln 8 is added; total 1.375, output 39.875, result 29.",
    )
    picture.text(136, 20, "one block of keys at a time", size=13, bold=True)
    widths = (3, 3, 2)
    names = ("done", "now", "later")
    fills = [
        [color for color, width in zip((EMPTY, TINTS[1], "#ffffff"), widths, strict=True) for _ in range(width)]
    ] * 6
    picture.cells(40, 66, [[""] * 8] * 6, fills, (24, 24))
    start = 40
    for name, width in zip(names, widths, strict=True):
        picture.box(start, 66, 24 * width, 144, "none", stroke=LINE)
        picture.text(start + 12 * width, 54, name)
        start += 24 * width
    picture.arrow((40, 226), (232, 226))
    picture.text(136, 242, "keys", size=11)
    picture.text(20, 138, "Lq", size=11)
    picture.text(136, 272, "only the yellow scores are in memory;", size=11, colour=PALE)
    picture.text(136, 288, "of the grey ones maximum, total", size=11, colour=PALE)
    picture.text(136, 304, "and output are kept", size=11, colour=PALE)

    picture.line((262, 14), (262, 316), dashed=True)
    picture.text(516, 20, "one query, scores ln 1, ln 2, ln 8, values 11, 22, 33", size=13, bold=True)
    columns = {"block": 318, "maximum": 406, "total": 506, "output": 634}
    for name, x in columns.items():
        picture.text(x, 54, name, bold=True)
    maximum, total, output = -math.inf, 0.0, 0.0
    for number, begin in enumerate(range(0, len(scores), block)):
        y = 72 + 112 * number
        part, content = scores[begin : begin + block], values[begin : begin + block]
        new = max(maximum, float(part.max()))
        shrink = math.exp(maximum - new)
        shares = torch.exp(part - new)
        if number:
            change = f"{TIMES} {written(shrink, 2)}, then add"
            for name in ("total", "output"):
                picture.arrow((columns[name], y - 70), (columns[name], y - 2))
                picture.text(columns[name] + 8, y - 38, change, anchor="start", size=11)
            picture.text(columns["maximum"], y - 38, "shrink: 2/8 = .25", size=11, colour=PALE)
        maximum, total, output = new, total * shrink + float(shares.sum()), output * shrink + float(shares @ content)
        named = [f"ln {math.exp(score):.0f}" for score in part.tolist()]
        picture.box(columns["block"] - 38, y, 76, 40, TINTS[1], ", ".join(named), round_by=5)
        picture.box(columns["maximum"] - 32, y, 64, 40, TINTS[0], f"ln {math.exp(maximum):.0f}", round_by=5)
        picture.box(columns["total"] - 40, y, 80, 40, TINTS[0], f"{total:g}", round_by=5)
        picture.box(columns["output"] - 46, y, 92, 40, TINTS[0], f"{output:g}", round_by=5)
    picture.arrow((columns["total"], 226), (542, 262))
    picture.arrow((columns["output"], 226), (594, 262))
    picture.text(568, 276, f"{output:g} / {total:g} = {output / total:g}", size=14, bold=True)
    picture.text(516, 306, "the same as (1 · 11 + 2 · 22 + 8 · 33) / 11", size=11, colour=PALE)
    return picture


if __name__ == "__main__":
    publish(
        "06_beyond",
        {
            "sdpa": sdpa,
            "sliding_window": sliding_window,
            "kv_cache": kv_cache,
            "rotary": rotary,
            "tiled_attention": tiled_attention,
        },
    )
