"""Draws a mismatch in a terminal: yours beside what was expected, as shades, with numbers if there are few.

Shades and short numbers are the same in every picture of a mismatch.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from grader.mismatch import Mismatch, Plane

from .safe_text import encodable

BLUES = ("#f7fbff", "#e3eef9", "#cfe1f2", "#b5d4e9", "#93c4df", "#6bafd6", "#4a98c9", "#2e7ebc", "#1764ab", "#08478d")
"""Shades from pale to dark."""

LEVELS = len(BLUES)
WHITE_FROM = 8  # from this level on, white is easier to read than black
GREY = "#6b6b6b"  # for NaN; white is easy to read on it

MOST_DECIMALS = 4


@dataclass(frozen=True)
class Scale:
    """The numbers for the palest and the darkest shade, the same on both sides."""

    low: float
    high: float

    @classmethod
    def of(cls, mismatch: Mismatch) -> Scale:
        """From the smallest number, or 0, to the largest, or 0."""
        finite = [0.0, *(number for number in _numbers(mismatch) if math.isfinite(number))]
        return cls(min(finite), max(finite))

    def level(self, number: float) -> int | None:
        """A shade from 0, the palest, to LEVELS - 1; None for NaN."""
        if math.isnan(number):
            return None
        if number >= self.high:
            return LEVELS - 1
        if number <= self.low:
            return 0
        return min(int((number - self.low) / (self.high - self.low) * LEVELS), LEVELS - 1)


@dataclass(frozen=True)
class Wording:
    """How the numbers of a mismatch are written: short, but wrong ones must differ from the expected ones."""

    decimals: int
    is_tiny: bool = False

    @classmethod
    def of(cls, mismatch: Mismatch) -> Wording:
        """The fewest decimals that the numbers need."""
        finite = [abs(number) for number in _numbers(mismatch) if math.isfinite(number)]
        if all(number == int(number) for number in finite):
            return cls(0)
        if max(finite) < 0.01:
            return cls(0, is_tiny=True)
        for decimals in range(2, MOST_DECIMALS):
            if all(_fixed(came, decimals) != _fixed(expected, decimals) for came, expected in _wrong_pairs(mismatch)):
                return cls(decimals)
        return cls(MOST_DECIMALS)

    def write(self, number: float) -> str:
        """The number in at most nine characters; NaN and infinities as words."""
        if not math.isfinite(number):
            return str(number)
        if abs(number) >= 1000 or (self.is_tiny and number):
            return f"{number:.0e}"
        return _fixed(number, self.decimals)


def _fixed(number: float, decimals: int) -> str:
    text = f"{number:.{decimals}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def _numbers(mismatch: Mismatch) -> Iterator[float]:
    for plane in (mismatch.came, mismatch.expected):
        for row in plane:
            yield from row


def _wrong_pairs(mismatch: Mismatch) -> Iterator[tuple[float, float]]:
    for row in zip(mismatch.came, mismatch.expected, mismatch.wrong, strict=True):
        yield from ((came, expected) for came, expected, is_wrong in zip(*row, strict=True) if is_wrong)


def caption(mismatch: Mismatch) -> str:
    """What is shown, the names of rows and columns, and where it is wrong."""
    sides = ("rows", "columns")[-len(mismatch.axes) :] if mismatch.axes else ()
    axes = ", ".join(f"{side}: {name}" for side, name in zip(sides, mismatch.axes, strict=True) if name != side)
    return f"{mismatch.what}{f' ({axes})' if axes else ''}. {mismatch.note}"


MOST_NUMBERS = 64
"""Above this many numbers, only shades are shown."""

RAMP = " .:-=+*#%@"
NO_NUMBER = "?"
MARK = "!"
"""Follows wrong numbers, so that they are recognisable without colour."""

WRONG_STYLE = "bold white on #b3261e"
GAP = 4


@dataclass(frozen=True)
class HeatMap:
    """A mismatch for rich to print: any width, with or without colour, in ASCII except for the names of the axes."""

    mismatch: Mismatch

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        is_coloured = console.color_system is not None and not console.no_color
        drawn = _drawing(self.mismatch, options.max_width, is_coloured)
        yield Text(encodable(caption(self.mismatch), console.encoding), overflow="fold")
        if drawn is not None:
            yield from drawn.lines(options.max_width)
            yield Text(drawn.legend(), style="dim", overflow="fold")


def heatmap_text(mismatch: Mismatch, width: int, *, colour: bool = False) -> str:
    """A mismatch as lines of text, for output without rich."""
    console = Console(file=io.StringIO(), width=width, force_terminal=colour, legacy_windows=False)
    if not colour:
        console.no_color = True
    with console.capture() as captured:
        console.print(HeatMap(mismatch))
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def _drawing(mismatch: Mismatch, width: int, is_coloured: bool) -> _Drawing | None:
    """The most detailed drawing with sides that fit the width; None when none does."""
    count = len(mismatch.came) * len(mismatch.came[0])
    for cell in (_NumberCell, _ShadeCell, _NarrowCell):
        drawing = _Drawing(mismatch, cell(Scale.of(mismatch), Wording.of(mismatch), is_coloured, _width(mismatch)))
        if drawing.side_width <= width and (cell is not _NumberCell or count <= MOST_NUMBERS):
            return drawing
    return None


def _width(mismatch: Mismatch) -> int:
    """The length of the longest number."""
    wording = Wording.of(mismatch)
    return max(
        len(wording.write(number)) for plane in (mismatch.came, mismatch.expected) for row in plane for number in row
    )


@dataclass(frozen=True)
class _ShadeCell:
    """One number as a block of its shade, and whether it is wrong."""

    scale: Scale
    wording: Wording
    is_coloured: bool
    number_width: int

    blocks = 2

    @property
    def width(self) -> int:
        return self.blocks + 1

    def draw(self, number: float, is_wrong: bool) -> Text:
        return self._marked(self._block(number, " " * self.blocks), number, is_wrong)

    def _block(self, number: float, shown: str) -> str:
        return shown if self.is_coloured else self._shade(number) * self.blocks

    def _shade(self, number: float) -> str:
        level = self.scale.level(number)
        return NO_NUMBER if level is None else RAMP[level]

    def _marked(self, shown: str, number: float, is_wrong: bool) -> Text:
        style = self._style(number) if self.is_coloured else ""
        mark = WRONG_STYLE if is_wrong and self.is_coloured else style
        return Text.assemble((shown, style), (MARK if is_wrong else " ", mark))

    def _style(self, number: float) -> str:
        level = self.scale.level(number)
        if level is None:
            return f"white on {GREY}"
        return f"{'white' if level >= WHITE_FROM else 'black'} on {BLUES[level]}"

    def legend(self) -> str:
        low, high = self.wording.write(self.scale.low), self.wording.write(self.scale.high)
        if self.scale.low == self.scale.high:  # nothing but 0 and infinities
            low = self.wording.write(-math.inf)
        if self.is_coloured:
            return f"{MARK} is off. Pale is {low}, dark is {high}, grey is nan."
        return f"{MARK} is off. Blank is {low}, {RAMP[-1]} is {high}, {NO_NUMBER} is nan."


class _NarrowCell(_ShadeCell):
    """The same in two characters."""

    blocks = 1


class _NumberCell(_ShadeCell):
    """The same with the number itself."""

    @property
    def width(self) -> int:
        return self.number_width + (2 if self.is_coloured else 5)

    def draw(self, number: float, is_wrong: bool) -> Text:
        written = f" {self.wording.write(number):>{self.number_width}}"
        shades = "" if self.is_coloured else f" {self._shade(number) * self.blocks}"
        return self._marked(written + shades, number, is_wrong)

    def legend(self) -> str:
        # beside numbers, colours need no legend; the signs that replace colours do
        return f"{MARK} is off." if self.is_coloured else super().legend()


@dataclass(frozen=True)
class _Drawing:
    """Both sides of a mismatch, made of cells of one kind."""

    mismatch: Mismatch
    cell: _ShadeCell

    @property
    def side_width(self) -> int:
        return max(self._label_width + len(self.mismatch.came[0]) * self.cell.width, len("yours"))

    @property
    def _label_width(self) -> int:
        last = self.mismatch.start[0] + len(self.mismatch.came) - 1
        return len(str(last)) + 1 if len(self.mismatch.came) > 1 else 0

    def lines(self, width: int) -> list[Text]:
        """The sides next to each other if they fit, else one below the other."""
        yours, expected = self._side("yours", self.mismatch.came), self._side("expected", self.mismatch.expected)
        if 2 * self.side_width + GAP > width:
            return [*yours, *expected]
        return [Text.assemble(left, " " * GAP, right) for left, right in zip(yours, expected, strict=True)]

    def legend(self) -> str:
        return self.cell.legend()

    def _side(self, title: str, plane: Plane) -> list[Text]:
        first_row, first_column = self.mismatch.start
        numbers = range(first_column, first_column + len(plane[0]))
        margin = " " * self._label_width
        header = "".join(self._over_cell(str(number)) for number in numbers)
        lines = [Text(title.ljust(self.side_width), style="bold"), Text(margin + header, style="dim")]
        for number, (row, flags) in enumerate(zip(plane, self.mismatch.wrong, strict=True), start=first_row):
            label = f"{number:>{self._label_width - 1}} " if margin else ""
            cells = [self.cell.draw(value, is_wrong) for value, is_wrong in zip(row, flags, strict=True)]
            lines.append(Text.assemble((label, "dim"), *cells))
        for line in lines:
            line.no_wrap = True
            line.pad_right(self.side_width - line.cell_len)
        return lines

    def _over_cell(self, label: str) -> str:
        if len(label) >= self.cell.width:  # no room for a blank before the next label: last digit only
            label = label[-1]
        return label.center(self.cell.width)
