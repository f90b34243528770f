"""What a heat map shows, as data: numbers in shades, the same shade for the same number on all of its planes.

There are two kinds: a mismatch (yours beside expected, with what is wrong) and attention weights (who looks at whom).
`heatmap_terminal` and `heatmap_svg` paint both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from grader.mismatch import Mismatch, Plane

from .safe_text import safe_line, visible

BLUES = ("#f7fbff", "#e3eef9", "#cfe1f2", "#b5d4e9", "#93c4df", "#6bafd6", "#4a98c9", "#2e7ebc", "#1764ab", "#08478d")
"""Shades from pale to dark."""
LEVELS = len(BLUES)
WHITE_FROM = 8  # from this level on, white is easier to read than black
GREY = "#6b6b6b"  # for NaN; white is easy to read on it

MOST_NUMBERS = 64
"""Above this many numbers, a mismatch shows only shades."""
MOST_DECIMALS = 4
MOST_TOLD = 12
"""How many wrong places the description lists for screen readers."""
BLANK = "␣"


@dataclass(frozen=True)
class Scale:
    """The numbers for the palest and the darkest shade."""

    low: float
    high: float

    @classmethod
    def of(cls, planes: Sequence[Plane]) -> Scale:
        """From the smallest number, or 0, to the largest, or 0."""
        finite = [0.0, *(number for number in _numbers(planes) if math.isfinite(number))]
        return cls(min(finite), max(finite))

    def level(self, number: float) -> int | None:
        """A shade from 0, the palest, to LEVELS - 1; None for NaN."""
        if math.isnan(number):
            return None
        if number >= self.high:
            return LEVELS - 1
        if number <= self.low:
            return 0
        return int((number - self.low) / (self.high - self.low) * LEVELS)

    def colours(self, number: float) -> tuple[str, str]:
        """The background of a number, and the ink that is easy to read on it."""
        level = self.level(number)
        if level is None:
            return GREY, "#ffffff"
        return BLUES[level], "#ffffff" if level >= WHITE_FROM else "#000000"


@dataclass(frozen=True)
class NumberFormat:
    """How numbers are written: short, but wrong ones must differ from the expected ones."""

    decimals: int
    is_tiny: bool = False

    @classmethod
    def of(cls, mismatch: Mismatch) -> NumberFormat:
        """The fewest decimals that the numbers need."""
        finite = [abs(number) for number in _numbers((mismatch.came, mismatch.expected)) if math.isfinite(number)]
        if all(number == int(number) for number in finite):
            return cls(0)
        if max(finite) < 0.01:
            return cls(0, is_tiny=True)
        for decimals in range(2, MOST_DECIMALS):
            if all(
                _fixed(came, decimals) != _fixed(expected, decimals) for _, _, came, expected in _wrong_pairs(mismatch)
            ):
                return cls(decimals)
        return cls(MOST_DECIMALS)

    def write(self, number: float) -> str:
        """The number in at most nine characters; NaN and infinities as words."""
        if not math.isfinite(number):
            return str(number)
        if abs(number) >= 1000 or (self.is_tiny and number):
            return f"{number:.0e}"
        return _fixed(number, self.decimals)


class AttentionWeights(Protocol):
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
class HeatMap:
    """Planes of numbers over the same rows and columns. All text is safe to show.

    caption: sentences above the drawing. rows: labels, none for a single row of a mismatch.
    places: how each row and each column is called in words. wrong: which numbers are off, for a mismatch.
    """

    title: str
    caption: str
    description: str
    planes: tuple[tuple[str, Plane], ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    places: tuple[tuple[str, ...], tuple[str, ...], str]
    scale: Scale
    numbers: NumberFormat
    wrong: tuple[tuple[bool, ...], ...] | None = None
    note: str = ""

    @classmethod
    def of_mismatch(cls, mismatch: Mismatch) -> HeatMap:
        """Yours beside what was expected."""
        (first_row, first_column), plane = mismatch.start, mismatch.came
        rows = tuple(map(str, range(first_row, first_row + len(plane))))
        columns = tuple(map(str, range(first_column, first_column + len(plane[0]))))
        caption, numbers = _caption(mismatch), NumberFormat.of(mismatch)
        return cls(
            title=f"{safe_line(mismatch.what)}: yours, expected and the difference",
            caption=caption,
            description=f"{caption} {_wrong_places(mismatch, numbers)}".strip(),
            planes=(("yours", mismatch.came), ("expected", mismatch.expected)),
            rows=rows if len(rows) > 1 else (),
            columns=columns,
            places=(tuple(f"row {row}" for row in rows), tuple(f"column {column}" for column in columns), ", "),
            scale=Scale.of((mismatch.came, mismatch.expected)),
            numbers=numbers,
            wrong=mismatch.wrong,
        )

    @classmethod
    def of_attention(cls, shown: AttentionWeights, note: str = "") -> HeatMap:
        """Who looks at whom."""
        rows, columns = (tuple(map(_label, labels)) for labels in (shown.rows, shown.columns))
        values = tuple(tuple(row) for row in shown.values)
        row_places = tuple(f"{spelt(letter)} (row {number})" for number, letter in enumerate(rows, 1))
        column_places = tuple(f"{spelt(letter)} (column {number})" for number, letter in enumerate(columns, 1))
        return cls(
            title=safe_line(shown.title),
            caption="",
            description=_most_looked_at(values, row_places, column_places),
            planes=((safe_line(shown.title), values),),
            rows=rows,
            columns=columns,
            places=(row_places, column_places, " looks at "),
            scale=Scale(0.0, shown.high),
            numbers=NumberFormat(2),
            note=safe_line(note),
        )

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return len(self.places[0]), len(self.places[1])

    @property
    def shows_numbers(self) -> bool:
        """Whether each number is written into its cell."""
        return self.wrong is not None and self.shape[0] * self.shape[1] <= MOST_NUMBERS

    def is_wrong(self, row: int, column: int) -> bool:
        """Whether this number is off."""
        return self.wrong is not None and self.wrong[row][column]

    def told(self, row: int, column: int, number: float) -> str:
        """One number and its place in words."""
        rows, columns, between = self.places
        return f"{rows[row]}{between}{columns[column]}: {self.numbers.write(number)}"


def spelt(letter: str) -> str:
    """A label that can be seen: a blank has a sign of its own."""
    return letter if letter.strip() else BLANK


def _label(text: str) -> str:
    return visible(text).replace("\n", "\\n")


def _caption(mismatch: Mismatch) -> str:
    """What is shown, the names of rows and columns, and where it is wrong."""
    sides = ("rows", "columns")[-len(mismatch.axes) :] if mismatch.axes else ()
    axes = ", ".join(f"{side}: {name}" for side, name in zip(sides, mismatch.axes, strict=True) if name != side)
    return visible(f"{mismatch.what}{f' ({axes})' if axes else ''}. {mismatch.note}")


def _wrong_places(mismatch: Mismatch, numbers: NumberFormat) -> str:
    """The first wrong places, one by one."""
    wrong = [
        f"row {row}, column {column}: yours {numbers.write(came)}, expected {numbers.write(expected)}"
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


def _fixed(number: float, decimals: int) -> str:
    text = f"{number:.{decimals}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def _numbers(planes: Sequence[Plane]) -> Iterator[float]:
    for plane in planes:
        for row in plane:
            yield from row


def _wrong_pairs(mismatch: Mismatch) -> Iterator[tuple[int, int, float, float]]:
    """Row and column of each wrong number, what came and what was expected."""
    rows = zip(mismatch.came, mismatch.expected, mismatch.wrong, strict=True)
    for row, sides in enumerate(rows, mismatch.start[0]):
        for column, (came, expected, is_wrong) in enumerate(zip(*sides, strict=True), mismatch.start[1]):
            if is_wrong:
                yield row, column, came, expected
