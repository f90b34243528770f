"""Paints heat maps in a terminal: any width, with or without colour, in any encoding."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from grader.mismatch import Mismatch, Plane

from .heatmap import HeatMap
from .safe_text import encodable

RAMP = " .:-=+*#%@"
"""Stand for the shades where there is no colour, from pale to dark."""
NO_NUMBER = "?"
MARK = "!"
"""Follows wrong numbers, so that they are recognisable without colour."""

WRONG_STYLE = "bold white on #b3261e"
GAP = 4


@dataclass(frozen=True)
class PaintedHeatMap:
    """A heat map for rich to print. Where it does not fit: of weights the last columns, of a mismatch the caption."""

    heat: HeatMap

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        heat = _encodable(self.heat, console.encoding)
        is_coloured = console.color_system is not None and not console.no_color
        cell = _cell_for(heat, options.max_width, is_coloured=is_coloured)
        first = max(0, heat.shape[1] - cell.room(options.max_width))
        if heat.caption:
            yield Text(heat.caption, overflow="fold")
        if first and heat.wrong is not None:  # the columns that are left out may be the wrong ones
            return
        yield from _Painter(heat, cell, first).lines(options.max_width)
        if closing := heat.note or cell.legend():
            yield Text(closing, style="dim", overflow="fold")


def heatmap_text(mismatch: Mismatch, width: int, *, colour: bool = False) -> str:
    """A mismatch as lines of text, for output without rich."""
    console = Console(file=io.StringIO(), width=width, force_terminal=colour, legacy_windows=False)
    if not colour:
        console.no_color = True
    with console.capture() as captured:
        console.print(PaintedHeatMap(HeatMap.of_mismatch(mismatch)))
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def _encodable(heat: HeatMap, encoding: str) -> HeatMap:
    def all_of(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(encodable(text, encoding) for text in texts)

    caption, note = all_of((heat.caption, heat.note))
    planes = tuple((encodable(title, encoding), plane) for title, plane in heat.planes)
    return replace(
        heat, caption=caption, note=note, planes=planes, rows=all_of(heat.rows), columns=all_of(heat.columns)
    )


@dataclass(frozen=True)
class _Cell:
    """How one number is drawn: as a block of its shade, with or without the number itself, and a mark where wrong."""

    heat: HeatMap
    is_coloured: bool
    blocks: int
    number_width: int = 0

    @property
    def width(self) -> int:
        if not self.number_width:
            return self.blocks + self._mark_width
        return 1 + self.number_width + (0 if self.is_coloured else 1 + self.blocks) + self._mark_width

    @property
    def label_width(self) -> int:
        """Columns for the rows' labels and a blank."""
        return max(map(cell_len, self.heat.rows)) + 1 if self.heat.rows else 0

    def room(self, width: int) -> int:
        """How many cells fit beside the labels."""
        return max((width - self.label_width) // self.width, 0)

    def draw(self, number: float, *, is_wrong: bool) -> Iterator[tuple[str, str]]:
        """The characters, each with their style."""
        style, shade = self._shade(number)
        written = f" {self.heat.numbers.write(number):>{self.number_width}}" if self.number_width else ""
        if not self.is_coloured:
            shade = f" {shade}" if written else shade
        yield (written or shade) if self.is_coloured else written + shade, style
        if self._mark_width:
            yield MARK if is_wrong else " ", WRONG_STYLE if is_wrong and self.is_coloured else style

    def legend(self) -> str:
        """What the signs of a mismatch mean."""
        if self.heat.wrong is None:
            return ""
        if self.is_coloured and self.number_width:  # beside numbers, colours need no legend; signs do
            return f"{MARK} is off."
        scale, write = self.heat.scale, self.heat.numbers.write
        low, high = write(scale.low), write(scale.high)
        if scale.low == scale.high:  # nothing but 0 and infinities
            low = write(-math.inf)
        if self.is_coloured:
            return f"{MARK} is off. Pale is {low}, dark is {high}, grey is nan."
        return f"{MARK} is off. Blank is {low}, {RAMP[-1]} is {high}, {NO_NUMBER} is nan."

    @property
    def _mark_width(self) -> int:
        return int(self.heat.wrong is not None)

    def _shade(self, number: float) -> tuple[str, str]:
        """The style of a number's block, and its characters."""
        if self.is_coloured:
            paper, ink = self.heat.scale.colours(number)
            return f"{'white' if ink == '#ffffff' else 'black'} on {paper}", " " * self.blocks
        level = self.heat.scale.level(number)
        return "", (NO_NUMBER if level is None else RAMP[level]) * self.blocks


def _cell_for(heat: HeatMap, width: int, *, is_coloured: bool) -> _Cell:
    """The most detailed cells with which a plane fits the width; the narrowest where none does."""
    longest = max(len(heat.numbers.write(number)) for _, plane in heat.planes for row in plane for number in row)
    cells = [_Cell(heat, is_coloured, blocks) for blocks in (2, 1)]
    if heat.shows_numbers:
        cells.insert(0, _Cell(heat, is_coloured, 2, longest))
    return next((cell for cell in cells if cell.room(width) >= heat.shape[1]), cells[-1])


@dataclass(frozen=True)
class _Painter:
    """Paints the planes with cells of one kind. first: the first column that has room."""

    heat: HeatMap
    cell: _Cell
    first: int

    def lines(self, width: int) -> Iterator[Text]:
        """The planes next to each other if they fit, else one below the other."""
        sides = [[*self._head(title), *self._rows(plane)] for title, plane in self.heat.planes]
        side_width = max(line.cell_len for side in sides for line in side)
        if len(sides) == 1 or len(sides) * side_width + GAP > width:
            yield from (line for side in sides for line in side)
            return
        for lines in zip(*sides, strict=True):
            for line in lines:
                line.pad_right(side_width - line.cell_len)
            yield _unbroken(Text(" " * GAP).join(lines))

    def _head(self, title: str) -> Iterator[Text]:
        yield Text(title, style="bold")
        if self.first:
            yield Text(f"(from column {self.first + 1} on: the terminal is too narrow for more)", style="dim")
        labels = "".join(self._over_cell(label) for label in self.heat.columns[self.first :])
        yield _unbroken(Text(" " * self.cell.label_width + labels, style="dim"))

    def _over_cell(self, label: str) -> str:
        width = self.cell.width
        if self.heat.wrong is None:
            return set_cell_size(label[:1], width)
        # of a number without room for a blank before the next one, the last digit
        return (label if len(label) < width else label[-1]).center(width)

    def _rows(self, plane: Plane) -> Iterator[Text]:
        for row, numbers in enumerate(plane):
            label = self.heat.rows[row] if self.heat.rows else ""
            margin = " " * (self.cell.label_width - cell_len(label) - 1) + label + " " if label else ""
            cells = [
                part
                for column, number in enumerate(numbers)
                if column >= self.first
                for part in self.cell.draw(number, is_wrong=self.heat.is_wrong(row, column))
            ]
            yield _unbroken(Text.assemble((margin, "dim"), *cells))


def _unbroken(line: Text) -> Text:
    line.no_wrap = True
    return line
