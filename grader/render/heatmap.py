"""What a heat map shows, as data: numbers in shades, the same shade for the same number on all of its planes.

There are two kinds: a mismatch (yours beside expected, with what is wrong, and the difference) and attention weights
(who looks at whom). `heatmap_terminal` and `heatmap_svg` paint both, cell by cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from grader.mismatch import Mismatch, Plane

from .safe_text import safe_line, visible

BLUES = ("#f7fbff", "#e3eef9", "#cfe1f2", "#b5d4e9", "#93c4df", "#6bafd6", "#4a98c9", "#2e7ebc", "#1764ab", "#08478d")
"""Shades from pale to dark."""
LEVELS = len(BLUES)
WHITE_FROM = 8  # from this level on, white is easier to read than black
WHITE, BLACK = "#ffffff", "#000000"
GREY = "#6b6b6b"  # for NaN; white is easy to read on it
TOO_MUCH = ("#fee0b6", "#fdb863", "#e08214", "#8c4a06")
TOO_LITTLE = ("#d8daeb", "#b2abd2", "#8073ac", "#542788")

MOST_NUMBERS = 64
"""Above this many numbers, a mismatch shows only shades."""
MOST_DECIMALS = 4
MOST_TOLD = 12
"""How many wrong places the description lists for screen readers."""
BLANK = "␣"
ROOT = 0.5
"""The power for shades of weights, so that weights spread over many places can be seen."""

Shade = Callable[[float], tuple[int | None, str, str]]
"""Of a number: its level from 0, the palest, to LEVELS - 1, None for NaN; its background; the ink to be read on it."""
Write = Callable[[float], str]
"""A number as it is written."""


def blues(low: float, high: float, power: float = 1.0) -> Shade:
    """Shades from the palest, for `low`, to the darkest, for `high`; by the share between them to this power."""

    def shade(number: float) -> tuple[int | None, str, str]:
        if math.isnan(number):
            return None, GREY, WHITE
        level = LEVELS - 1 if number >= high else 0
        if low < number < high:
            level = int(((number - low) / (high - low)) ** power * LEVELS)
        return level, BLUES[level], WHITE if level >= WHITE_FROM else BLACK

    return shade


def off(furthest: float) -> Shade:
    """Of a difference: orange for too much, violet for too little, white for right; colour-blind readers see which."""

    def shade(number: float) -> tuple[int | None, str, str]:
        if math.isnan(number):
            return None, GREY, WHITE
        if number == 0 or furthest == 0:
            return 0, WHITE, BLACK
        shades = TOO_MUCH if number > 0 else TOO_LITTLE
        level = min(int(abs(number) / furthest * len(shades)), len(shades) - 1) if math.isfinite(number) else -1
        return level, shades[level], WHITE if shades[level] == shades[-1] else BLACK

    return shade


def in_decimals(decimals: int, *, is_tiny: bool = False) -> Write:
    """Numbers in at most nine characters; NaN and infinities as words. is_tiny: with an exponent, all but 0."""

    def write(number: float) -> str:
        if not math.isfinite(number):
            return str(number)
        if abs(number) >= 1000 or (is_tiny and number):
            return f"{number:.0e}"
        text = f"{number:.{decimals}f}"
        return text.removeprefix("-") if not text.strip("-0.") else text

    return write


def as_needed(mismatch: Mismatch) -> Write:
    """The fewest decimals with which each wrong number differs from the expected one, MOST_DECIMALS at most."""
    finite = [abs(number) for number in _finite(mismatch.came, mismatch.expected)]
    if all(number == int(number) for number in finite):
        return in_decimals(0)
    if max(finite) < 0.01:
        return in_decimals(0, is_tiny=True)
    for decimals in range(2, MOST_DECIMALS):
        # not as they are written: of thousands no decimals show
        if all(round(came, decimals) != round(expected, decimals) for _, _, came, expected in _wrong_pairs(mismatch)):
            return in_decimals(decimals)
    return in_decimals(MOST_DECIMALS)


@dataclass(frozen=True)
class Weights:
    """Attention weights from 0 to `high`: a row for each query, a column for each key, both with their labels.

    before: weights to show beside these, with the names of both: before, and now.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Plane
    high: float = 1.0
    before: tuple[str, Plane, str] | None = None


class Cell(NamedTuple):
    """A number as it is drawn.

    sign: what stands for it in a picture without numbers. is_wrong: whether it is marked so, as no expected one is.
    told: the number and its place, in words.
    """

    text: str
    level: int | None
    paper: str
    ink: str
    sign: str
    is_wrong: bool
    told: str


Cells = tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class HeatMap:
    """Planes of numbers over the same rows and columns. All text is safe to show.

    caption: sentences above the drawing. rows: labels, none for a single row of a mismatch. ends: the numbers of the
    palest and the darkest shade; of weights, the least of each shade but the palest, which stands for none. difference:
    of a mismatch, a third plane for where there is room.
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
        (first_row, first_column), came, expected = mismatch.start, mismatch.came, mismatch.expected
        rows = tuple(map(str, range(first_row, first_row + len(came))))
        columns = tuple(map(str, range(first_column, first_column + len(came[0]))))
        write, finite = as_needed(mismatch), [0.0, *_finite(came, expected)]
        shade, low = blues(min(finite), max(finite)), min(finite)
        apart = _difference(mismatch)
        furthest = max(map(abs, _finite(apart)), default=0.0)
        sides = ("rows", "columns")[-len(mismatch.axes) :] if mismatch.axes else ()
        axes = ", ".join(f"{side}: {name}" for side, name in zip(sides, mismatch.axes, strict=True) if name != side)
        caption = visible(f"{mismatch.what}{f' ({axes})' if axes else ''}. {mismatch.note}")

        def drawn(plane: Plane, shade: Shade, sign: Callable[[float], str] | None = None) -> Cells:
            """The cells of a plane; sign: of a wrong number, None where they are not marked."""
            return tuple(
                tuple(
                    Cell(
                        text := write(number),
                        *shade(number),
                        text if not math.isfinite(number) else sign(number) if sign and is_wrong else "",
                        sign is not None and is_wrong,
                        f"row {row}, column {column}: {text}",
                    )
                    for number, is_wrong, column in zip(numbers, wrong, columns, strict=True)
                )
                for numbers, wrong, row in zip(plane, mismatch.wrong, rows, strict=True)
            )

        return cls(
            title=f"{safe_line(mismatch.what)}: yours, expected and the difference",
            caption=caption,
            description=f"{caption} {_wrong_places(mismatch, write)}".strip(),
            planes=(
                ("yours", drawn(came, shade, lambda _: "!")),
                ("expected", drawn(expected, shade)),
            ),
            rows=rows if len(rows) > 1 else (),
            columns=columns,
            ends=(write(low if low != max(finite) else -math.inf), write(max(finite))),  # all may be 0 or infinite
            difference=(("difference", drawn(apart, off(furthest), lambda number: "+" if number > 0 else "-")),),
        )

    @classmethod
    def of_attention(cls, shown: Weights) -> HeatMap:
        """Who looks at whom."""
        rows, columns = (tuple(visible(each).replace("\n", "\\n") for each in s) for s in (shown.rows, shown.columns))
        row_places = [f"{spelt(letter)} {number}" for number, letter in enumerate(rows, 1)]
        column_places = [f"{spelt(letter)} {number}" for number, letter in enumerate(columns, 1)]
        title, write, shade = safe_line(shown.title), in_decimals(2), blues(0.0, shown.high, ROOT)

        def drawn(values: Plane) -> Cells:
            return tuple(
                tuple(
                    Cell(text := write(weight), *shade(weight), "", False, f"{row} looks at {column}: {text}")
                    for weight, column in zip(weights, column_places, strict=True)
                )
                for weights, row in zip(values, row_places, strict=True)
            )

        planes = [(title, drawn(shown.values))]
        if shown.before is not None:
            then, earlier, now = shown.before
            planes = [(then, drawn(earlier)), (now, drawn(shown.values))]
        return cls(
            title=title,
            caption=title if shown.before else "",
            description=_most_looked_at(shown.values, row_places, column_places),
            planes=tuple(planes),
            rows=rows,
            columns=columns,
            ends=tuple(write((level / LEVELS) ** (1 / ROOT) * shown.high) for level in range(1, LEVELS)),
        )

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


def _difference(mismatch: Mismatch) -> Plane:
    """Yours minus expected: 0 where it is right, infinities included."""
    rows = zip(mismatch.came, mismatch.expected, mismatch.wrong, strict=True)
    return tuple(
        tuple(came - wanted if is_wrong else 0.0 for came, wanted, is_wrong in zip(*row, strict=True)) for row in rows
    )


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
    for row, weights in zip(rows, values, strict=True):
        known = [(weight, column) for column, weight in enumerate(weights) if math.isfinite(weight)]
        if known:
            weight, column = max(known)
            told.append(f"{row} looks most at {columns[column]}, {weight:.2f}")
    return "; ".join(told) + "."
