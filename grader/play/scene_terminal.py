"""The parts of a scene in a terminal: any width, with or without colour."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.table import Table
from rich.text import Text

from grader.practice.watch import POLL_SECONDS, listening
from grader.render.heatmap import HeatMap
from grader.render.heatmap_terminal import PaintedHeatMap
from grader.render.safe_text import encodable, visible

from .parts import Curve, Grid, Heat, Part, Slider, Words, Written

STYLES = {"plain": "", "heading": "bold", "warning": "bold yellow", "line": ""}
CURVE_HEIGHT = 10
LEAST_CURVE_WIDTH = 16
SIGNS = "*o+x"
SEVERAL = "&"
"""Stands where several curves meet."""


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
        return PaintedHeatMap(HeatMap.of_attention(part, part.before))
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
        table.add_column(_said(name, console), justify="right" if number and name else "left", header_style="dim")
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
        names += f"   {SEVERAL} several" if len(self.curve.lines) > 1 else ""
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
                    field[row][column] = sign if field[row][column] in (" ", sign) else SEVERAL
        for number, row_signs in enumerate(field):
            label = {0: f"{high:.3g}", CURVE_HEIGHT - 1: f"{low:.3g}"}.get(number, "")
            yield f"{label:>8} |{''.join(row_signs)}"
        start, end = f"{places[0]:g}", f"{places[-1]:g}"
        yield " " * 10 + start + end.rjust(width - len(start))


# --- a slider: keys change a number, and the map below follows ------------------------------------------------------

SMALLER, LARGER = "-,<", "+=.>"
GO_ON = "\r\n q"
KEYS = "- smaller  + larger  Enter goes on"
AROUND = 6
"""Lines around the rows of the map."""
WAIT_SECONDS = 0.2


def slide(slider: Slider, console: Console) -> None:
    """Let the learner move the slider until Enter. Where no key can be read, print the first step only."""
    keys: SimpleQueue[str] = SimpleQueue()
    with listening(keys.put) as has_keys:
        if not has_keys:
            console.print(drawn(slider, console))
            return
        with suppress(KeyboardInterrupt):
            _move(slider, console, keys)
    time.sleep(2 * POLL_SECONDS)  # give the thread that reads keys time to end, so that it takes no later input
    console.print()


def _move(slider: Slider, console: Console, keys: SimpleQueue[str]) -> None:
    step = slider.start
    height = max(len(heat.rows) for _, heat, _ in slider.steps) + AROUND
    if height > console.height:  # too little room to redraw in place: print each step below the last
        console.print(_shown(slider, step, console))
        while (pressed := _pressed(keys)) not in GO_ON:
            step = _after(slider, step, pressed)
            console.print(_shown(slider, step, console))
        return
    with Live(_shown(slider, step, console), console=console, auto_refresh=False) as live:
        while (pressed := _pressed(keys)) not in GO_ON:
            step = _after(slider, step, pressed)
            live.update(_shown(slider, step, console), refresh=True)


def _pressed(keys: SimpleQueue[str]) -> str:
    while True:
        with suppress(Empty):  # wait with a timeout: an endless wait cannot be interrupted on every system
            return keys.get(timeout=WAIT_SECONDS)


def _after(slider: Slider, step: int, pressed: str) -> int:
    change = (pressed in LARGER) - (pressed in SMALLER)
    return min(max(step + change, 0), len(slider.steps) - 1)


def _shown(slider: Slider, step: int, console: Console) -> RenderableType:
    names = [f"[{name}]" if number == step else name for number, (name, _, _) in enumerate(slider.steps)]
    _, heat, written = slider.steps[step]
    return Group(
        Text(slider.title, style="bold"),
        Text("  ".join(names)),
        drawn(heat, console),
        Text(written, style="bold"),
        Text(KEYS, style="dim"),
    )
