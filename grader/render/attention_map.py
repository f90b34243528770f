"""Draws attention weights for a page: a cell for each pair, darker for larger weights, with a description in words.

Inside a page it uses the page's colours, and each cell has a tooltip. As a picture of its own it has a background, for
pages that do not accept SVG.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from markupsafe import Markup

from .heatmap import BLUES, GREY, Scale
from .pages import render_page

BLANK = "␣"
CELL = 16
LABEL_LETTER = 8
TOP, EDGE, MARGIN = 20, 2, 12


class Map(Protocol):
    """Weights from 0 to `high`; `rows` and `columns` are their labels."""

    @property
    def title(self) -> str: ...
    @property
    def rows(self) -> Sequence[str]: ...
    @property
    def columns(self) -> Sequence[str]: ...
    @property
    def values(self) -> Sequence[Sequence[float]]: ...
    @property
    def high(self) -> float: ...


@dataclass(frozen=True)
class MapPicture:
    """A map as a picture: a data URL, its size in pixels, and its description."""

    address: str
    width: int
    height: int
    description: str


@dataclass(frozen=True)
class _Cell:
    x: float
    y: float
    fill: str
    said: str


def map_svg(shown: Map, id: str, *, margin: int | None = None) -> Markup:
    """The map as an SVG element. id: unique on its page. margin: for a picture of its own; None within a page."""
    left = _left(shown)
    scale = Scale(0.0, shown.high)
    cells = [
        _Cell(left + column * CELL, TOP + row * CELL, _fill(value, scale), _said(shown, row, column, value))
        for row, values in enumerate(shown.values)
        for column, value in enumerate(values)
    ]
    width, height = _size(shown)
    return Markup(
        render_page(
            "play_heat.html.j2",
            id=id,
            title=shown.title,
            description=in_words(shown),
            width=width,
            height=height,
            left=left,
            top=TOP,
            size=CELL,
            rows=[_letter(row) for row in shown.rows],
            columns=[_letter(column) for column in shown.columns],
            cells=cells,
            margin=margin,
        )
    )


def map_picture(shown: Map) -> MapPicture:
    """The map as a picture for a light or dark page that only keeps simple elements."""
    width, height = _size(shown)
    svg = map_svg(shown, "map", margin=MARGIN)
    return MapPicture(address_of(svg), width + 2 * MARGIN, height + 2 * MARGIN, in_words(shown))


def address_of(svg: str) -> str:
    """A drawing as a data URL."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode('utf-8')).decode('ascii')}"


def in_words(shown: Map) -> str:
    """A description for screen readers: where each row has its largest weight."""
    told = []
    for number, (row, values) in enumerate(zip(shown.rows, shown.values, strict=True), start=1):
        known = [(value, column) for column, value in enumerate(values) if math.isfinite(value)]
        if known:
            value, column = max(known)
            told.append(
                f"{_letter(row)} (row {number}) looks most at {_letter(shown.columns[column])} "
                f"(column {column + 1}), {value:.2f}"
            )
    return "; ".join(told) + "."


def _left(shown: Map) -> int:
    return LABEL_LETTER * max((len(row) for row in shown.rows), default=1) + 10


def _size(shown: Map) -> tuple[int, int]:
    return _left(shown) + CELL * len(shown.columns) + EDGE, TOP + CELL * len(shown.rows) + EDGE


def _letter(letter: str) -> str:
    return letter if letter.strip() else BLANK


def _fill(value: float, scale: Scale) -> str:
    level = scale.level(value)
    return GREY if level is None else BLUES[level]


def _said(shown: Map, row: int, column: int, value: float) -> str:
    return (
        f"{_letter(shown.rows[row])} (row {row + 1}) looks at {_letter(shown.columns[column])} "
        f"(column {column + 1}): {value:.2f}"
    )
