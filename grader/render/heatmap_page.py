"""Draws a mismatch for HTML: yours, what was expected and the difference, as an SVG in the page's own text colour.

Or as a separate picture, for pages that do not allow inline SVG.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from grader.mismatch import Mismatch, Plane

from .heatmap import BLUES, GREY, WHITE_FROM, Scale, Wording, caption
from .pages import render_page

CELL_HEIGHT = 24
CELL_WIDTH = 24
LETTER_WIDTH = 6.4
LABEL_WIDTH = 30
TITLE_HEIGHT = 40
TITLE_WIDTH = 84
"""Width for the longest title, however few columns there are below it."""
GAP = 20
WIDEST = 520
"""Sides stand next to each other up to this width; wider, they would be too small to read on a narrow screen."""

MOST_NUMBERS = 64
DIFFERENCE = "difference"
MOST_TOLD = 12
"""How many wrong places the description lists for screen readers."""

TOO_MUCH = ("#fee0b6", "#fdb863", "#e08214", "#8c4a06")
TOO_LITTLE = ("#d8daeb", "#b2abd2", "#8073ac", "#542788")


MARGIN = 12
"""Margin of a separate picture, which also has its own background since it cannot know the page's."""

Paint = Callable[[float], tuple[str, str]]
"""Maps a number to the background and text colours of its cell."""


@dataclass(frozen=True)
class _Cell:
    """One number with its position in its side, ready to draw."""

    x: float
    y: float
    fill: str
    ink: str
    text: str
    is_wrong: bool


@dataclass(frozen=True)
class _Side:
    """One of the three sides, with its position in the picture."""

    title: str
    x: float
    y: float
    cells: tuple[_Cell, ...]


@dataclass(frozen=True)
class Picture:
    """A mismatch as a picture: its data URL, its size in pixels, and texts about it."""

    address: str
    width: int
    height: int
    caption: str
    description: str


def heatmap_svg(mismatch: Mismatch, place: str = "") -> Markup:
    """A mismatch as an SVG element with title and description, safe to put into a page, light or dark.

    place: distinguishes it from equal ones on the same page, where ids must be unique.
    """
    return _svg(mismatch, _Drawing(mismatch), place, margin=None)


def heatmap_picture(mismatch: Mismatch) -> Picture:
    """A mismatch as a picture, for a page that may be light or dark and allows plain elements only."""
    drawing = _Drawing(mismatch)
    svg = _svg(mismatch, drawing, "", margin=MARGIN)
    return Picture(
        address=f"data:image/svg+xml;base64,{base64.b64encode(svg.encode('utf-8')).decode('ascii')}",
        width=math.ceil(drawing.width + 2 * MARGIN),
        height=math.ceil(drawing.height + 2 * MARGIN),
        caption=caption(mismatch),
        description=_description(mismatch),
    )


def _svg(mismatch: Mismatch, drawing: _Drawing, place: str, margin: int | None) -> Markup:
    digest = hashlib.blake2b(repr((place, mismatch)).encode(), digest_size=6).hexdigest()
    page = render_page(
        "heatmap.html.j2",
        id=f"heatmap-{digest}",
        title=f"{mismatch.what}: yours, expected and the difference",
        description=_description(mismatch),
        drawing=drawing,
        sides=drawing.sides(),
        margin=margin,
    )
    return Markup(page)  # the template escapes its values


def _description(mismatch: Mismatch) -> str:
    return f"{caption(mismatch)} {_told(mismatch)}".strip()


class _Drawing:
    """Sizes and positions."""

    def __init__(self, mismatch: Mismatch) -> None:
        self.mismatch = mismatch
        self.wording = Wording.of(mismatch)
        self.scale = Scale.of(mismatch)
        self.rows, self.columns = len(mismatch.came), len(mismatch.came[0])
        self.left, self.top, self.cell_height = LABEL_WIDTH, TITLE_HEIGHT, CELL_HEIGHT
        self.cell_width = self._cell_width()
        self.row_labels = range(mismatch.start[0], mismatch.start[0] + self.rows) if self.rows > 1 else range(0)
        self.column_labels = range(mismatch.start[1], mismatch.start[1] + self.columns)
        self.side_width = LABEL_WIDTH + max(self.columns * self.cell_width, TITLE_WIDTH)
        self.side_height = TITLE_HEIGHT + self.rows * CELL_HEIGHT
        abreast = max(1, min(3, int((WIDEST + GAP) // (self.side_width + GAP))))
        self.places = [
            (number % abreast * (self.side_width + GAP), number // abreast * (self.side_height + GAP))
            for number in range(3)
        ]
        self.width = abreast * (self.side_width + GAP) - GAP
        self.height = math.ceil(3 / abreast) * (self.side_height + GAP) - GAP

    def _cell_width(self) -> float:
        if self.rows * self.columns > MOST_NUMBERS:
            return CELL_WIDTH
        planes = (self.mismatch.came, self.mismatch.expected, _difference(self.mismatch))
        longest = max(len(self.wording.write(number)) for plane in planes for row in plane for number in row)
        return max(CELL_WIDTH, 8 + LETTER_WIDTH * longest)

    def sides(self) -> list[_Side]:
        """What came, what was expected, and the difference."""
        apart = _difference(self.mismatch)
        furthest = max((abs(x) for row in apart for x in row if math.isfinite(x)), default=0.0)
        planes = {"yours": self.mismatch.came, "expected": self.mismatch.expected, DIFFERENCE: apart}
        sides = []
        for (title, plane), place in zip(planes.items(), self.places, strict=True):
            paint = partial(_off, furthest=furthest) if plane is apart else self._shade
            sides.append(
                _Side(title, *place, tuple(self._cell(r, c, plane[r][c], title, paint) for r, c in self._all()))
            )
        return sides

    def _all(self) -> Iterator[tuple[int, int]]:
        return ((row, column) for row in range(self.rows) for column in range(self.columns))

    def _cell(self, row: int, column: int, number: float, side: str, paint: Paint) -> _Cell:
        is_wrong = self.mismatch.wrong[row][column]
        x, y = LABEL_WIDTH + column * self.cell_width, TITLE_HEIGHT + row * CELL_HEIGHT
        if self.rows * self.columns <= MOST_NUMBERS or not math.isfinite(number):
            text = self.wording.write(number)
        else:
            text = _mark(number, side) if is_wrong else ""
        return _Cell(x, y, *paint(number), text, is_wrong)

    def _shade(self, number: float) -> tuple[str, str]:
        level = self.scale.level(number)
        if level is None:
            return GREY, "#ffffff"
        return BLUES[level], "#ffffff" if level >= WHITE_FROM else "#000000"


def _mark(number: float, side: str) -> str:
    """The sign in a wrong cell that has no room for its number."""
    if side != DIFFERENCE:
        return "!"
    return "+" if number > 0 else "-"


def _off(number: float, furthest: float) -> tuple[str, str]:
    """Orange for too much, violet for too little, white for right: colour-blind readers can tell these apart."""
    if math.isnan(number):
        return GREY, "#ffffff"
    if number == 0 or furthest == 0:
        return "#ffffff", "#000000"
    shades = TOO_MUCH if number > 0 else TOO_LITTLE
    level = min(int(abs(number) / furthest * len(shades)), len(shades) - 1) if math.isfinite(number) else -1
    return shades[level], "#ffffff" if shades[level] == shades[-1] else "#000000"


def _difference(mismatch: Mismatch) -> Plane:
    """Yours minus expected: 0 where it is right, infinities included."""
    return tuple(
        tuple(came - expected if is_wrong else 0.0 for came, expected, is_wrong in zip(*row, strict=True))
        for row in zip(mismatch.came, mismatch.expected, mismatch.wrong, strict=True)
    )


def _told(mismatch: Mismatch) -> str:
    """The first wrong places, one by one."""
    wording = Wording.of(mismatch)
    wrong = [
        f"row {row}, column {column}: yours {wording.write(came)}, expected {wording.write(expected)}"
        for row, sides in enumerate(
            zip(mismatch.came, mismatch.expected, mismatch.wrong, strict=True), mismatch.start[0]
        )
        for column, (came, expected, is_wrong) in enumerate(zip(*sides, strict=True), mismatch.start[1])
        if is_wrong
    ]
    more = f"; and {len(wrong) - MOST_TOLD} more" if len(wrong) > MOST_TOLD else ""
    return "; ".join(wrong[:MOST_TOLD]) + more + "."
