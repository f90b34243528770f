"""The parts of a scene in a terminal: any width, with or without colour."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from grader.render.heatmap import HeatMap
from grader.render.heatmap_terminal import PaintedHeatMap
from grader.render.safe_text import encodable, visible

from .parts import Curve, Grid, Heat, Part, Slider, Words, Written

STYLES = {"plain": "", "heading": "bold", "warning": "bold yellow", "line": ""}
CURVE_HEIGHT = 10
LEAST_CURVE_WIDTH = 16
SIGNS = "*o+x"


def show(part: Part, console: Console) -> None:
    """Print one part, followed by an empty line unless it is a single line."""
    if isinstance(part, (Grid, Written)):
        console.print(Text(_said(part.title, console), style="bold"))
    console.print(drawn(part, console))
    if not (isinstance(part, Words) and part.kind == "line"):
        console.print()


def drawn(part: Part, console: Console) -> RenderableType:
    """One part as something rich can print; for a slider its first step."""
    if isinstance(part, Words):
        return Text(_said(part.text, console), style=STYLES[part.kind])
    if isinstance(part, Heat):
        return PaintedHeatMap(HeatMap.of_attention(part, part.note))
    if isinstance(part, Grid):
        return _table(part, console)
    if isinstance(part, Curve):
        return _Plot(part)
    if isinstance(part, Slider):
        return drawn(part.steps[part.start][1], console)
    return _texts(part, console)


def _said(text: str, console: Console) -> str:
    return encodable(visible(text), console.encoding)


def _table(grid: Grid, console: Console) -> Table:
    table = Table(box=None, padding=(0, 3, 0, 0))
    for number, name in enumerate(grid.header):
        table.add_column(_said(name, console), justify="right" if number else "left", header_style="dim")
    for row in grid.rows:
        table.add_row(*(_said(cell, console) for cell in row))
    return table


def _texts(written: Written, console: Console) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for who, text in written.texts:
        table.add_row(
            Text(_said(who, console), style="dim"),
            Text.assemble(_said(written.given, console), (_said(text, console), "bold reverse")),
        )
    return table


def _line(text: Text) -> Text:
    text.no_wrap = True
    return text


class _Plot:
    """Curves drawn with characters, with numbers at the edges."""

    def __init__(self, curve: Curve) -> None:
        self.curve = curve

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(_said(self.curve.title, console), style="bold")
        for row in self._rows(max(LEAST_CURVE_WIDTH, min(64, options.max_width - 12))):
            yield _line(Text(_said(row, console)))
        names = "   ".join(f"{sign} {name}" for sign, (name, _) in zip(SIGNS, self.curve.lines, strict=False))
        yield Text(_said(f"{self.curve.up} over {self.curve.across}:  {names}", console), style="dim")

    def _rows(self, width: int) -> Iterator[str]:
        places = self.curve.places
        known = [y for _, line in self.curve.lines for y in line if math.isfinite(y)]
        low, high = min([0.0, *known]), max([*known, 1e-9])
        field = [[" "] * width for _ in range(CURVE_HEIGHT)]
        for sign, (_, line) in reversed(list(zip(SIGNS, self.curve.lines, strict=False))):
            for x, y in zip(places, line, strict=True):
                if math.isfinite(y):
                    column = round((x - places[0]) / ((places[-1] - places[0]) or 1) * (width - 1))
                    row = round((high - y) / ((high - low) or 1) * (CURVE_HEIGHT - 1))
                    field[row][column] = sign
        for number, row_signs in enumerate(field):
            label = {0: f"{high:.3g}", CURVE_HEIGHT - 1: f"{low:.3g}"}.get(number, "")
            yield f"{label:>8} |{''.join(row_signs)}"
        start, end = f"{places[0]:g}", f"{places[-1]:g}"
        yield " " * 10 + start + end.rjust(width - len(start))
