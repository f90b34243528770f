#!/usr/bin/env python
"""Draws the picture of a tiny GPT: the line that runs through the model, and what is added to it on the way."""

from __future__ import annotations

from drawing import EMPTY, LINE, PALE, TINTS, Picture, publish

UNIT = "07_transformer"
TRUNK = 250
"""Where the line through the model stands."""
BRANCH = 420
PART = (130, 28)


def draw_part(picture: Picture, x: float, y: float, text: str, fill: str) -> None:
    """A part of the model, with its middle at x, y."""
    width, height = PART
    picture.box(x - width / 2, y - height / 2, width, height, fill, text, stroke=LINE, round_by=5)


def draw_sum(picture: Picture, y: float) -> None:
    """A place where something is added."""
    picture.circle((TRUNK, y), 11, fill="#ffffff", stroke=PALE)
    picture.text(TRUNK, y, "+", size=15, bold=True)


def draw_branch(picture: Picture, y: float, name: str, fill: str) -> None:
    """From the line through norm and a part, and back to it, further up."""
    picture.arrow((TRUNK, y), (BRANCH - 65, y))
    draw_part(picture, BRANCH, y, "norm", EMPTY)
    picture.arrow((BRANCH, y - 14), (BRANCH, y - 36))
    draw_part(picture, BRANCH, y - 50, name, fill)
    picture.arrow((BRANCH - 65, y - 50), (TRUNK + 12, y - 50))
    draw_sum(picture, y - 50)


def tiny_gpt() -> Picture:
    """From the tokens at the bottom to the logits at the top."""
    picture = Picture(
        760,
        470,
        "The way of a text through a tiny GPT",
        "From the bottom up: tokens become vectors in a hard lookup, positions are added. A line runs straight up to "
        "norm, head and logits. In each layer two branches leave the line, one through norm and attention, one "
        "through norm and mlp, and each is added to the line again.",
    )
    picture.line((TRUNK, 400), (TRUNK, 104), width=3, colour=PALE)
    for y, text, fill, said in (
        (436, "token vectors", TINTS[1], "a hard lookup: row idx of a table"),
        (90, "norm", EMPTY, ""),
        (46, "head", TINTS[1], "logits: what may come next, at each place"),
    ):
        draw_part(picture, TRUNK, y, text, fill)
        picture.text(TRUNK + 78, y, said, anchor="start", size=11, colour=PALE)
    picture.arrow((TRUNK, 422), (TRUNK, 402))
    draw_sum(picture, 390)
    picture.arrow((167, 390), (TRUNK - 12, 390))
    draw_part(picture, 100, 390, "position vectors", TINTS[1])
    picture.arrow((TRUNK, 76), (TRUNK, 61))
    picture.box(186, 128, 552, 234, "none", stroke=LINE, round_by=8)
    draw_branch(picture, 340, "attention, causal", TINTS[0])
    draw_branch(picture, 224, "mlp", TINTS[2])
    picture.text(500, 290, "earlier tokens are heard here", anchor="start", size=11, colour=PALE)
    picture.text(500, 174, "each token by itself", anchor="start", size=11, colour=PALE)
    picture.text(724, 146, "one layer, num_layers times", anchor="end", bold=True)
    picture.text(172, 236, "h", anchor="end", bold=True, size=14)
    picture.text(172, 254, "the token's own signal", anchor="end", size=11, colour=PALE)
    picture.text(172, 270, "passes straight through", anchor="end", size=11, colour=PALE)
    return picture


if __name__ == "__main__":
    publish(UNIT, {"tiny_gpt": tiny_gpt})
