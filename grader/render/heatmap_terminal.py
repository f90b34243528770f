"""Paints heat maps in a terminal: any width, with or without colour, in any encoding."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from .heatmap import BLUES, LEVELS, WHITE, Cell, HeatMap
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
        heat, width = self.heat, options.max_width
        painters = [_Painter(heat, console, each) for each in ([0, 2, 1] if heat.shows_numbers else [2, 1])]
        # weights before and now have to fit beside each other
        abreast = 1 if heat.is_mismatch else len(heat.planes)
        side = (width - GAP * (abreast - 1)) // abreast
        painter = next((each for each in painters if each.room(side) >= len(heat.columns)), painters[-1])
        first = max(0, len(heat.columns) - painter.room(width))
        lines = painter.lines(first, width)
        if heat.caption:
            yield Text(encodable(heat.caption, console.encoding), overflow="fold")
        # of a mismatch, the columns that are left out may be the wrong ones
        if not ((first and heat.is_mismatch) or 0 < self.most_lines < len(lines)):
            yield from lines
            yield from painter.legend(width)


def as_text(show: Callable[[Console], None], width: int) -> str:
    """What is printed, as lines of plain text for output without rich, whatever the environment asks for."""
    console = Console(file=io.StringIO(), width=width, color_system=None, legacy_windows=False)
    with console.capture() as captured:
        show(console)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


class _Painter:
    """Draws each number as a block of its shade, or as the number itself where there are 0 blocks; marks wrong ones."""

    def __init__(self, heat: HeatMap, console: Console, blocks: int) -> None:
        self._heat, self._encoding, self._blocks = heat, console.encoding, blocks
        # 16 colours are too few for the shades
        self._is_coloured = console.color_system in ("256", "truecolor") and not console.no_color
        labels = [encodable(label, console.encoding) for label in heat.labels] or [""] * len(heat.rows)
        self._label_width = max(map(cell_len, labels)) + bool(heat.labels)
        self._labels = [" " * (self._label_width - 1 - cell_len(label)) + label + " " * bool(label) for label in labels]
        self._number_width = max(len(cell.text) for _, plane in heat.planes for row in plane for cell in row)
        self._width = (blocks or 1 + self._number_width) + int(heat.is_mismatch)

    def room(self, width: int) -> int:
        """How many numbers fit beside the labels."""
        return max((width - self._label_width) // self._width, 0)

    def lines(self, first: int, width: int) -> list[Text]:
        """The planes from a column on, next to each other if they fit, else one below the other."""
        sides = [list(self._plane(number, first)) for number in range(len(self._heat.planes))]
        side_width = max(line.cell_len for side in sides for line in side)
        if len(sides) == 1 or len(sides) * side_width + GAP > width:
            return [line for side in sides for line in side]
        abreast = []
        for lines in zip(*sides, strict=True):
            for line in lines:
                line.pad_right(side_width - line.cell_len)
            abreast.append(Text(" " * GAP).join(lines))
            abreast[-1].no_wrap = True
        return abreast

    def legend(self, width: int) -> Iterator[Text]:
        """What the shades mean, on one line if possible; beside numbers they need no legend."""
        if self._blocks and self._heat.is_mismatch:
            low, high = self._heat.ends
            said = f"The darker, the larger: blank is {low}, {RAMP[-1]} is {high}; {NO_NUMBER} is nan."
            if self._is_coloured:
                said = f"Pale is {low}, dark is {high}, grey is nan."
            yield Text(said, style="dim", overflow="fold")
        elif self._blocks:
            for step, gap in ((1, 2), (1, 1), (2, 1), (4, 1)):  # where there is little room, not every shade
                legend = Text("From:", style="dim", overflow="fold")
                for level in range(1, LEVELS, step):
                    sign = (" ", f"on {BLUES[level]}") if self._is_coloured else (RAMP[level], "not dim")
                    legend.append(" " * gap).append(*sign).append(f" {self._heat.ends[level - 1].lstrip('0')}")
                if legend.cell_len <= width:
                    break
            yield legend

    def _plane(self, number: int, first: int) -> Iterator[Text]:
        name, plane = self._heat.planes[number]
        wrong = f" ({MARK} = wrong)" if self._heat.is_mismatch and number == 0 else ""
        yield Text(encodable(name, self._encoding) + wrong, style="bold")
        if first:
            yield Text(f"(from column {first + 1} on: the terminal is too narrow for more)", style="dim")
        over = "".join(self._over_number(encodable(label, self._encoding)) for label in self._heat.columns[first:])
        yield Text(" " * self._label_width + over, style="dim", no_wrap=True)
        for label, cells in zip(self._labels, plane, strict=True):
            drawn = (part for cell in cells[first:] for part in self._draw(cell))
            yield Text.assemble((label, "dim"), *drawn, no_wrap=True)

    def _over_number(self, label: str) -> str:
        if not self._heat.is_mismatch:
            return set_cell_size(label[:1], self._width)
        # of a number without room for a blank before the next one, the last digit
        return (label if len(label) < self._width else label[-1]).center(self._width)

    def _draw(self, cell: Cell) -> Iterator[tuple[str, str]]:
        """The characters, each with their style."""
        style, shade = "", RAMP[BLUES.index(cell.paper)] if cell.paper in BLUES else NO_NUMBER
        if self._is_coloured:
            style, shade = f"{'white' if cell.ink == WHITE else 'black'} on {cell.paper}", " "
        yield shade * self._blocks or f" {cell.text:>{self._number_width}}", style
        if self._heat.is_mismatch:
            yield MARK if cell.mark else " ", WRONG_STYLE if cell.mark and self._is_coloured else style
