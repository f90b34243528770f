"""The parts of a scene in a terminal: any width, with or without colour."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from rich.console import Console
from rich.table import Table

from grader.render.heatmap import HeatMap
from grader.render.heatmap_terminal import PaintedHeatMap
from grader.render.terminal import text_for

from .parts import Curve, Grid, Heat, Part, Slider, Words, Written

STYLES = {"plain": "", "heading": "bold", "warning": "bold yellow", "line": ""}
CURVE_HEIGHT, CURVE_WIDTH, LEAST_CURVE_WIDTH = 10, 64, 16
EDGE = 10
"""Columns left of a curve, for its numbers."""
SIGNS = "*o+x#"
SEVERAL = "&"
"""Stands where several curves meet."""


def show(part: Part, console: Console) -> None:
    """Print one part, of a slider its first step; then an empty line unless it is a single line."""
    if isinstance(part, Words):
        console.print(text_for(console, part.text, STYLES[part.kind]))
    elif isinstance(part, Heat):
        console.print(PaintedHeatMap(HeatMap.of_attention(part)))
    elif isinstance(part, Slider):
        console.print(PaintedHeatMap(HeatMap.of_attention(part.steps[part.start][1])))
    else:
        console.print(text_for(console, part.title, "bold"))
        if isinstance(part, Grid):
            console.print(_table(part, console))
        elif isinstance(part, Written):
            console.print(_texts(part, console))
        else:
            for line in _plotted(part, max(LEAST_CURVE_WIDTH, min(CURVE_WIDTH, console.width - EDGE - 2))):
                console.print(text_for(console, line), no_wrap=True)
            console.print(text_for(console, _legend(part), "dim"))
    if part.kind != "line":
        console.print()


def _table(grid: Grid, console: Console) -> Table:
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    for number, name in enumerate(grid.header):
        table.add_column(text_for(console, name), justify="right" if number and name else "left")
    for row in grid.rows:
        table.add_row(*(text_for(console, cell) for cell in row))
    return table


def _texts(written: Written, console: Console) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for who, text in written.texts:
        given = text_for(console, written.given)
        table.add_row(text_for(console, who, "dim"), given + text_for(console, text, "bold reverse"))
    return table


def _plotted(curve: Curve, width: int) -> Iterator[str]:
    """A curve in lines of characters, with numbers at the edges."""
    field = [[" "] * width for _ in range(CURVE_HEIGHT)]
    for sign, (_, line) in reversed(list(zip(SIGNS, curve.lines, strict=False))):
        for across, down, _, _ in curve.points(line):
            row, column = round(down * (CURVE_HEIGHT - 1)), round(across * (width - 1))
            field[row][column] = sign if field[row][column] in (" ", sign) else SEVERAL
    low, high = curve.ends
    labels = {0: f"{high:.3g}", CURVE_HEIGHT - 1: f"{low:.3g}"}
    for number, signs in enumerate(field):
        yield f"{labels.get(number, ''):>{EDGE - 2}} |{''.join(signs)}"
    start, end = f"{curve.places[0]:g}", f"{curve.places[-1]:g}"
    yield " " * EDGE + start + end.rjust(width - len(start))


def _legend(curve: Curve) -> str:
    names = "   ".join(f"{sign} {name}" for sign, (name, _) in zip(SIGNS, curve.lines, strict=False))
    several = f"   {SEVERAL} several" if len(curve.lines) > 1 else ""
    return f"{curve.up} over {curve.across}:  {names}{several}"


MOVES = {"+": 1, "-": -1}
ASKED = "+ larger, - smaller, then Enter. Enter alone goes on: "


def slide(slider: Slider, console: Console) -> None:
    """Print the first step of a slider, and further ones as they are typed, until another line than + or -."""
    step, typed = slider.start, "+"
    with suppress(EOFError, KeyboardInterrupt):
        while typed in MOVES:
            names = [f"[{name}]" if number == step else name for number, (name, _, _) in enumerate(slider.steps)]
            _, heat, written = slider.steps[step]
            console.print(text_for(console, slider.title, "bold"), text_for(console, "  ".join(names)), sep="\n")
            show(heat, console)
            console.print(text_for(console, written, "bold"))
            typed = input(ASKED).strip()
            step = min(max(step + MOVES.get(typed, 0), 0), len(slider.steps) - 1)
    console.print()
