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
    """A heat map for rich to print. Where it does not fit: of weights the last columns, of a mismatch the caption.

    most_lines: below the caption; 0 for any number.
    """

    heat: HeatMap
    most_lines: int = 0

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        heat, width = _encodable(self.heat, console.encoding), options.max_width
        is_coloured = console.color_system is not None and not console.no_color
        painters = [_Painter(heat, is_coloured, blocks) for blocks in (2, 1)]
        if heat.shows_numbers:
            painters.insert(0, _Painter(heat, is_coloured, 0))
        painter = next((each for each in painters if each.room(width) >= heat.shape[1]), painters[-1])
        first = max(0, heat.shape[1] - painter.room(width))
        if heat.caption:
            yield Text(heat.caption, overflow="fold")
        if first and heat.wrong is not None:  # the columns that are left out may be the wrong ones
            return
        lines = list(painter.lines(first, width))
        if 0 < self.most_lines < len(lines):
            return
        yield from lines
        if closing := heat.note or painter.legend():
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


class _Painter:
    """Draws each number as a block of its shade, or as the number itself where there are 0 blocks; marks wrong ones."""

    def __init__(self, heat: HeatMap, is_coloured: bool, blocks: int) -> None:
        self._heat, self._is_coloured, self._blocks = heat, is_coloured, blocks
        numbers = [heat.numbers.write(number) for _, plane in heat.planes for row in plane for number in row]
        self._number_width = max(map(len, numbers))
        self._label_width = max(map(cell_len, heat.rows)) + 1 if heat.rows else 0
        self._width = (blocks or 1 + self._number_width) + int(heat.wrong is not None)

    def room(self, width: int) -> int:
        """How many numbers fit beside the labels."""
        return max((width - self._label_width) // self._width, 0)

    def lines(self, first: int, width: int) -> Iterator[Text]:
        """The planes from a column on, next to each other if they fit, else one below the other."""
        sides = [[*self._head(title, first), *self._rows(plane, first)] for title, plane in self._heat.planes]
        side_width = max(line.cell_len for side in sides for line in side)
        if len(sides) == 1 or len(sides) * side_width + GAP > width:
            yield from (line for side in sides for line in side)
            return
        for lines in zip(*sides, strict=True):
            for line in lines:
                line.pad_right(side_width - line.cell_len)
            yield _unbroken(Text(" " * GAP).join(lines))

    def legend(self) -> str:
        """What the shades of a mismatch mean; beside numbers they need no legend."""
        if self._heat.wrong is None:
            return ""
        if not self._blocks:
            return ""
        scale, write = self._heat.scale, self._heat.numbers.write
        low, high = write(scale.low), write(scale.high)
        if scale.low == scale.high:  # nothing but 0 and infinities
            low = write(-math.inf)
        if self._is_coloured:
            return f"Pale is {low}, dark is {high}, grey is nan."
        return f"The darker, the larger: blank is {low}, {RAMP[-1]} is {high}; {NO_NUMBER} is nan."

    def _head(self, title: str, first: int) -> Iterator[Text]:
        is_first = title == self._heat.planes[0][0]
        yield Text(f"{title} ({MARK} = wrong)" if self._heat.wrong is not None and is_first else title, style="bold")
        if first:
            yield Text(f"(from column {first + 1} on: the terminal is too narrow for more)", style="dim")
        labels = "".join(self._over_number(label) for label in self._heat.columns[first:])
        yield _unbroken(Text(" " * self._label_width + labels, style="dim"))

    def _over_number(self, label: str) -> str:
        if self._heat.wrong is None:
            return set_cell_size(label[:1], self._width)
        # of a number without room for a blank before the next one, the last digit
        return (label if len(label) < self._width else label[-1]).center(self._width)

    def _rows(self, plane: Plane, first: int) -> Iterator[Text]:
        for row, numbers in enumerate(plane):
            label = self._heat.rows[row] if self._heat.rows else ""
            margin = " " * (self._label_width - cell_len(label) - 1) + label + " " if label else ""
            drawn = [
                part
                for column, number in enumerate(numbers[first:], first)
                for part in self._draw(number, is_wrong=self._heat.is_wrong(row, column))
            ]
            yield _unbroken(Text.assemble((margin, "dim"), *drawn))

    def _draw(self, number: float, *, is_wrong: bool) -> Iterator[tuple[str, str]]:
        """The characters, each with their style."""
        style, shade = "", " "
        if self._is_coloured:
            paper, ink = self._heat.scale.colours(number)
            style = f"{'white' if ink == '#ffffff' else 'black'} on {paper}"
        else:
            level = self._heat.scale.level(number)
            shade = NO_NUMBER if level is None else RAMP[level]
        yield shade * self._blocks or f" {self._heat.numbers.write(number):>{self._number_width}}", style
        if self._heat.wrong is not None:
            yield MARK if is_wrong else " ", WRONG_STYLE if is_wrong and self._is_coloured else style


def _unbroken(line: Text) -> Text:
    line.no_wrap = True
    return line
