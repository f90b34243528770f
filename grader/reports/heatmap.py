"""A wrong tensor in a terminal: yours beside what was due, as shades, with numbers while they are few."""

from __future__ import annotations

import io
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from grader.exhibits import Exhibit, Plane
from grader.reports.safe_text import encodable
from grader.reports.shades import BLUES, GREY, WHITE_FROM, Scale, Wording, caption

MOST_NUMBERS = 64
"""More numbers than this are a wall: then shades alone are shown."""

RAMP = " .:-=+*#%@"
NO_NUMBER = "?"
MARK = "!"
"""Stands behind what is wrong, so that no colour is needed to see it."""

WRONG_STYLE = "bold white on #b3261e"
GAP = 4


@dataclass(frozen=True)
class HeatMap:
    """An exhibit as rich prints it: any width, with or without colour, in ASCII but for the names of the axes."""

    exhibit: Exhibit

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        is_coloured = console.color_system is not None and not console.no_color
        drawn = _drawing(self.exhibit, options.max_width, is_coloured)
        yield Text(encodable(caption(self.exhibit), console.encoding), overflow="fold")
        if drawn is not None:
            yield from drawn.lines(options.max_width)
            yield Text(drawn.legend(), style="dim", overflow="fold")


def heatmap_text(exhibit: Exhibit, width: int, *, colour: bool = False) -> str:
    """An exhibit as lines of text, for what prints without rich."""
    console = Console(file=io.StringIO(), width=width, force_terminal=colour, legacy_windows=False)
    if not colour:
        console.no_color = True
    with console.capture() as captured:
        console.print(HeatMap(exhibit))
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def _drawing(exhibit: Exhibit, width: int, is_coloured: bool) -> _Drawing | None:
    """The roomiest drawing of which one side fits the width; None when none does."""
    count = len(exhibit.came) * len(exhibit.came[0])
    for cell in (_NumberCell, _ShadeCell, _NarrowCell):
        drawing = _Drawing(exhibit, cell(Scale.of(exhibit), Wording.of(exhibit), is_coloured, _width(exhibit)))
        if drawing.side_width <= width and (cell is not _NumberCell or count <= MOST_NUMBERS):
            return drawing
    return None


def _width(exhibit: Exhibit) -> int:
    """The characters of the longest number."""
    wording = Wording.of(exhibit)
    return max(len(wording.write(number)) for plane in (exhibit.came, exhibit.due) for row in plane for number in row)


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
        # colours explain themselves beside their numbers; the signs that stand for them do not
        return f"{MARK} is off." if self.is_coloured else super().legend()


@dataclass(frozen=True)
class _Drawing:
    """Both sides of an exhibit, made of cells of one kind."""

    exhibit: Exhibit
    cell: _ShadeCell

    @property
    def side_width(self) -> int:
        return max(self._label_width + len(self.exhibit.came[0]) * self.cell.width, len("yours"))

    @property
    def _label_width(self) -> int:
        last = self.exhibit.start[0] + len(self.exhibit.came) - 1
        return len(str(last)) + 1 if len(self.exhibit.came) > 1 else 0

    def lines(self, width: int) -> list[Text]:
        """The sides beside each other where there is room, else below each other."""
        yours, due = self._side("yours", self.exhibit.came), self._side("due", self.exhibit.due)
        if 2 * self.side_width + GAP > width:
            return [*yours, *due]
        return [Text.assemble(left, " " * GAP, right) for left, right in zip(yours, due, strict=True)]

    def legend(self) -> str:
        return self.cell.legend()

    def _side(self, title: str, plane: Plane) -> list[Text]:
        first_row, first_column = self.exhibit.start
        numbers = range(first_column, first_column + len(plane[0]))
        margin = " " * self._label_width
        header = "".join(self._over_cell(str(number)) for number in numbers)
        lines = [Text(title.ljust(self.side_width), style="bold"), Text(margin + header, style="dim")]
        for number, (row, flags) in enumerate(zip(plane, self.exhibit.wrong, strict=True), start=first_row):
            label = f"{number:>{self._label_width - 1}} " if margin else ""
            cells = [self.cell.draw(value, is_wrong) for value, is_wrong in zip(row, flags, strict=True)]
            lines.append(Text.assemble((label, "dim"), *cells))
        for line in lines:
            line.no_wrap = True
            line.pad_right(self.side_width - line.cell_len)
        return lines

    def _over_cell(self, label: str) -> str:
        if len(label) >= self.cell.width:  # no room for a blank before the next one: units only
            label = label[-1]
        return label.center(self.cell.width)
