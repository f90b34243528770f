#!/usr/bin/env python
"""Draws the pictures of unit 5: who shares a key head with whom, and the copies in right and in wrong order."""

from __future__ import annotations

import torch
from drawing import BAD, GOOD, LINE, PALE, TINTS, Picture, publish

QUERY_HEADS = 4


def shared_heads() -> Picture:
    """Four query heads with four, two and one key/value heads."""
    picture = Picture(
        760,
        232,
        "Four query heads with four, two and one key heads",
        "Three drawings with four query heads each. In multi-head attention each has a key/value head of its own; in "
        "grouped-query attention neighbours share one, two in all; in multi-query attention all four share a single "
        "one.",
    )
    for place, (name, heads, share) in enumerate((("MHA", 4, "1"), ("GQA", 2, "1/2"), ("MQA", 1, "1/4"))):
        left = 78 + 228 * place
        middle = left + 105
        picture.text(middle, 22, f"{name}:  h = {QUERY_HEADS}, kv = {heads}", size=13, bold=True)
        group = QUERY_HEADS // heads
        for head in range(heads):
            at = left + 26 + 54 * (head * group + (group - 1) / 2)
            for query in range(head * group, (head + 1) * group):
                picture.line((left + 26 + 54 * query, 84), (at, 136), colour=PALE)
        for query in range(QUERY_HEADS):
            picture.box(left + 4 + 54 * query, 54, 44, 32, TINTS[query // group], f"q {query}", round_by=5)
        for head in range(heads):
            at = left + 26 + 54 * (head * group + (group - 1) / 2)
            picture.box(at - 22, 134, 44, 32, TINTS[head], "ABCD"[head], stroke=PALE, round_by=5, bold=True)
        picture.text(middle, 190, f"cache: {share}")
        if place:
            picture.line((left - 8, 14), (left - 8, 200), dashed=True)
    picture.text(38, 70, "queries")
    picture.text(38, 143, "keys,")
    picture.text(38, 158, "values")
    picture.text(380, 216, "same colour: a key/value head and the query heads that use it", size=11, colour=PALE)
    return picture


def repeat_kv() -> Picture:
    """The copies of two key heads beside each other, and whole copies behind each other."""
    picture = Picture(
        760,
        306,
        "Copies beside each other, and copies behind each other",
        "Two drawings with key heads A and B, their four copies, and four query heads, of which 0 and 1 belong to A, "
        "2 and 3 to B. Left the copies A A B B: every query meets its head. Right A B A B: query heads 1 and 2 meet "
        "the wrong one.",
    )
    heads = torch.arange(2)
    ways = (
        ("repeat_interleave", heads.repeat_interleave(2).tolist()),
        ("repeat", heads.repeat(2).tolist()),
    )
    for place, (code, copies) in enumerate(ways):
        left = 92 + 344 * place
        picture.text(left + 148, 22, code, size=14, bold=True, code=True)
        for copy, head in enumerate(copies):
            x = left + 78 * copy
            picture.arrow((left + 31 + 78 + 78 * (2 * head - 0.5), 232), (x + 31, 176), colour=LINE)
            fits = head == copy // 2
            picture.line((x + 31, 84), (x + 31, 142), colour=GOOD if fits else BAD, width=2.5)
            picture.box(x + 10, 52, 42, 32, TINTS[copy // 2], f"q {copy}", round_by=5)
            picture.text(x + 27, 113, "fits" if fits else "wrong", anchor="end", size=11, colour=GOOD if fits else BAD)
            picture.box(x + 10, 142, 42, 32, TINTS[head], "AB"[head], round_by=5, bold=True)
        for head in range(2):
            picture.box(
                left + 70 + 156 * head - 22, 234, 42, 32, TINTS[head], "AB"[head], stroke=PALE, round_by=5, bold=True
            )
    picture.text(42, 68, "queries")
    picture.text(42, 158, "copies")
    picture.text(42, 250, "key heads")
    picture.line((418, 14), (418, 272), dashed=True)
    picture.text(380, 290, "same colour: one group, so q 0 and q 1 belong to A, q 2 and q 3 to B", size=11, colour=PALE)
    return picture


if __name__ == "__main__":
    publish("05_grouped_query", {"shared_heads": shared_heads, "repeat_kv": repeat_kv})
