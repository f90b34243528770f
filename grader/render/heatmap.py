"""What a heat map shows, as data: numbers in shades, the same shade for the same number on all of its planes.

There are two kinds: a mismatch (yours beside expected, with what is wrong, and the difference) and attention weights
(who looks at whom). `heatmap_terminal` and the template `heatmap.html.j2` paint both, cell by cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from grader.record import Mismatch, Plane

from .safe_text import safe_line, visible

if TYPE_CHECKING:
    from grader.played import Heat

BLUES = ("#f7fbff", "#e3eef9", "#cfe1f2", "#b5d4e9", "#93c4df", "#6bafd6", "#4a98c9", "#2e7ebc", "#1764ab", "#08478d")
"""Shades from pale to dark."""
LEVELS = len(BLUES)
WHITE, BLACK = "#ffffff", "#000000"
GREY = "#6b6b6b"  # for NaN
TOO_MUCH = ("#fee0b6", "#fdb863", "#e08214", "#8c4a06")
TOO_LITTLE = ("#d8daeb", "#b2abd2", "#8073ac", "#542788")
DARK = (GREY, *BLUES[8:], TOO_MUCH[-1], TOO_LITTLE[-1])
"""On these, white is easier to read than black."""

MOST_NUMBERS = 64
"""Above this many numbers, a mismatch shows only shades."""
MOST_DECIMALS = 4
MOST_TOLD = 12
"""How many wrong places the description lists for screen readers."""
BLANK = "␣"
ROOT = 0.5
"""The power for shades of weights, so that weights spread over many places can be seen."""

Shade = Callable[[float], str]
"""The background of a number other than NaN."""
Write = Callable[[float], str]
"""A number as it is written."""


def blues(low: float, high: float, power: float = 1.0) -> Shade:
    """Shades from the palest, for `low`, to the darkest, for `high`; by the share between them to this power."""

    def shade(number: float) -> str:
        share = min(max((number - low) / (high - low), 0.0), 1.0)
        return BLUES[min(int(share**power * LEVELS), LEVELS - 1)]

    return shade


def off(furthest: float) -> Shade:
    """Of a difference: orange for too much, violet for too little, white for right; colour-blind readers see which."""

    def shade(number: float) -> str:
        if number == 0 or furthest == 0:
            return WHITE
        shades = TOO_MUCH if number > 0 else TOO_LITTLE
        return shades[int(min(abs(number) / furthest * len(shades), len(shades) - 1))]

    return shade


def in_decimals(decimals: int, *, is_tiny: bool = False) -> Write:
    """Numbers in at most nine characters; NaN and infinities as words. is_tiny: with an exponent, all but 0."""

    def write(number: float) -> str:
        if math.isfinite(number) and (abs(number) >= 1000 or (is_tiny and number)):
            return f"{number:.0e}"
        text = f"{number:.{decimals}f}"
        return text if text.strip("-0.") else text.removeprefix("-")

    return write


def as_needed(mismatch: Mismatch) -> Write:
    """The fewest decimals with which each wrong number differs from the expected one, MOST_DECIMALS at most."""
    finite = [abs(number) for number in _finite(mismatch.came, mismatch.expected)]
    if all(number == int(number) for number in finite):
        return in_decimals(0)
    if max(finite) < 0.01:
        return in_decimals(0, is_tiny=True)
    pairs = [(came, expected) for _, _, came, expected in _wrong_pairs(mismatch)]
    for decimals in range(2, MOST_DECIMALS):
        # not as they are written: of thousands no decimals show
        if all(round(came, decimals) != round(expected, decimals) for came, expected in pairs):
            return in_decimals(decimals)
    return in_decimals(MOST_DECIMALS)


class Cell(NamedTuple):
    """A number as it is drawn. paper: its background.

    mark: of a wrong number; stands for it in a picture without numbers. An expected number has none.
    """

    text: str
    paper: str
    mark: str

    @property
    def ink(self) -> str:
        """The ink to be read on its background."""
        return WHITE if self.paper in DARK else BLACK


Cells = tuple[tuple[Cell, ...], ...]


def _cells(
    plane: Plane, write: Write, shade: Shade, wrong: Iterable[Iterable[bool]] = repeat(repeat(False)), marks: str = "!!"
) -> Cells:
    """marks: of a wrong number above 0, and of another."""

    def cell(number: float, is_wrong: bool) -> Cell:
        paper = GREY if math.isnan(number) else shade(number)
        return Cell(write(number), paper, marks[number <= 0] if is_wrong else "")

    return tuple(tuple(map(cell, *row)) for row in zip(plane, wrong, strict=False))


@dataclass(frozen=True)
class HeatMap:
    """Planes of numbers over the same rows and columns. All text is safe to show.

    caption: sentences above the drawing. ends: the numbers of the palest and the darkest shade; of weights, the least
    of each shade but the palest, which stands for none. difference: of a mismatch, a third plane for where there is
    room.
    """

    title: str
    caption: str
    description: str
    planes: tuple[tuple[str, Cells], ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    ends: tuple[str, ...]
    difference: tuple[tuple[str, Cells], ...] = ()

    @classmethod
    def of_mismatch(cls, mismatch: Mismatch) -> HeatMap:
        """Yours beside what was expected."""
        came, expected, wrong = mismatch.came, mismatch.expected, mismatch.wrong
        rows, columns = (
            tuple(str(start + number) for number in range(size))
            for start, size in zip(mismatch.start, (len(came), len(came[0])), strict=True)
        )
        write, finite = as_needed(mismatch), [0.0, *_finite(came, expected)]
        low, high = min(finite), max(finite) if any(finite) else 1.0
        apart = tuple(  # 0 where it is right, infinities included
            tuple(one - other if is_wrong else 0.0 for one, other, is_wrong in zip(*sides, strict=True))
            for sides in zip(came, expected, wrong, strict=True)
        )
        furthest = max(map(abs, _finite(apart)), default=0.0)
        named = zip(("rows", "columns")[-len(mismatch.axes) :], mismatch.axes, strict=True) if mismatch.axes else ()
        axes = ", ".join(f"{side}: {name}" for side, name in named if name != side)
        caption = visible(f"{mismatch.what}{f' ({axes})' if axes else ''}. {mismatch.note}")
        return cls(
            title=f"{safe_line(mismatch.what)}: yours, expected and the difference",
            caption=caption,
            description=f"{caption} {_wrong_places(mismatch, write)}".strip(),
            planes=(
                ("yours", _cells(came, write, blues(low, high), wrong)),
                ("expected", _cells(expected, write, blues(low, high))),
            ),
            rows=rows,
            columns=columns,
            ends=(write(low), write(high)),
            difference=(("difference", _cells(apart, write, off(furthest), wrong, "+-")),),
        )

    @classmethod
    def of_attention(cls, heat: Heat) -> HeatMap:
        """Who looks at whom."""
        title, write, shade = safe_line(heat.title), in_decimals(2), blues(0.0, heat.high, ROOT)
        labels = heat.rows, heat.columns
        rows, columns = (tuple(visible(each).replace("\n", "\\n") for each in some) for some in labels)
        planes = [(title, heat.values)]
        if heat.before:
            earlier, values, now = heat.before
            planes = [(safe_line(earlier), values), (safe_line(now), heat.values)]
        return cls(
            title=title,
            caption=title if heat.before else "",
            description=_most_looked_at(heat.values, rows, columns),
            planes=tuple((name, _cells(plane, write, shade)) for name, plane in planes),
            rows=rows,
            columns=columns,
            ends=tuple(write((level / LEVELS) ** (1 / ROOT) * heat.high) for level in range(1, LEVELS)),
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """Of the rows, where they are written: a single row of a mismatch needs none."""
        return self.rows if len(self.rows) > 1 or not self.is_mismatch else ()

    @property
    def is_mismatch(self) -> bool:
        """Whether it shows what is wrong, and not weights."""
        return bool(self.difference)

    @property
    def shows_numbers(self) -> bool:
        """Whether each number is written into its cell."""
        return self.is_mismatch and len(self.planes[0][1]) * len(self.columns) <= MOST_NUMBERS


def spelt(letter: str) -> str:
    """A label that can be seen: a blank has a sign of its own."""
    return letter if letter.strip() else BLANK


def _finite(*planes: Plane) -> list[float]:
    return [number for plane in planes for row in plane for number in row if math.isfinite(number)]


def _wrong_pairs(mismatch: Mismatch) -> Iterator[tuple[int, int, float, float]]:
    """Row and column of each wrong number, what came and what was expected."""
    rows = zip(mismatch.came, mismatch.expected, mismatch.wrong, strict=True)
    for row, sides in enumerate(rows, mismatch.start[0]):
        for column, (came, expected, is_wrong) in enumerate(zip(*sides, strict=True), mismatch.start[1]):
            if is_wrong:
                yield row, column, came, expected


def _wrong_places(mismatch: Mismatch, write: Write) -> str:
    """The first wrong places, one by one."""
    wrong = [
        f"row {row}, column {column}: yours {write(came)}, expected {write(expected)}"
        for row, column, came, expected in _wrong_pairs(mismatch)
    ]
    more = f"; and {len(wrong) - MOST_TOLD} more" if len(wrong) > MOST_TOLD else ""
    return "; ".join(wrong[:MOST_TOLD]) + more + "."


def _most_looked_at(values: Plane, rows: Sequence[str], columns: Sequence[str]) -> str:
    """Where each row has its largest weight."""
    told = []
    for place, (row, weights) in enumerate(zip(rows, values, strict=True), 1):
        known = [(weight, column) for column, weight in enumerate(weights, 1) if math.isfinite(weight)]
        if known:
            weight, column = max(known)
            told.append(f"{spelt(row)} {place} looks most at {spelt(columns[column - 1])} {column}, {weight:.2f}")
    return "; ".join(told) + "."
