"""A scene as somebody sees it: in a terminal, as a page, below a notebook's cell, and kept for their report."""

from __future__ import annotations

import argparse
import importlib
import math
import shlex
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

import torch
from rich.console import Console
from rich.table import Table

from grader.course import Exercise
from grader.errors import KataError
from grader.files import write_file
from grader.played import FILE_NAME, Heat, Played, as_bytes, read_kept
from grader.practice.progress import ProgressFile, now
from grader.practice.workspace import Workspace
from grader.render.heatmap import HeatMap
from grader.render.heatmap_terminal import PaintedHeatMap, as_text
from grader.render.pages import TEXT_WIDTH, render_page
from grader.render.terminal import text_for
from grader.sandbox.doctor import strongest_level

from .catalogue import Play, play_of, standing_with
from .parts import Curve, Grid, Part, Slider, Words, Written
from .stage import Stage, Stopped

PAGES = "play"
"""The folder for pages, beside the exercises."""
MAPS_KEPT = 2
"""Of one exercise, for the report."""

# --- in a terminal: any width, with or without colour ---------------------------------------------------------------

STYLES = {"plain": "", "heading": "bold", "warning": "bold yellow", "line": ""}
PLOT_WIDTH, LEAST_PLOT_WIDTH = 32, 8
COLUMN = 12
"""Columns of the screen for the numbers of a curve."""
SIGNS = "*o+x#"
SEVERAL = "&"
"""Stands where several curves meet."""


def show(part: Part, console: Console) -> None:
    """Print one part, of a slider its first step; then an empty line unless it is a single line."""
    if isinstance(part, Words):
        console.print(text_for(console, part.text, STYLES[part.kind]))
    elif isinstance(part, (Heat, Slider)):
        heat = part.steps[part.start][1] if isinstance(part, Slider) else part
        console.print(PaintedHeatMap(HeatMap.of_attention(heat)))
    else:
        console.print(text_for(console, part.title, "bold"))
        if isinstance(part, Grid):
            console.print(_table(part, console))
        elif isinstance(part, Written):
            console.print(_texts(part, console))
        else:
            console.print(_plotted(part, console))
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


def _plotted(curve: Curve, console: Console) -> Table:
    """A row for each x: the y of all lines and, where there is room, their signs, farther to the right the larger."""
    names = [curve.across, *(f"{sign} {name}" for sign, (name, _) in zip(SIGNS, curve.lines, strict=False))]
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in names:
        table.add_column(text_for(console, name), justify="right")
    width = min(PLOT_WIDTH, console.width - COLUMN * len(names))
    has_room, (low, high) = width >= LEAST_PLOT_WIDTH, curve.ends
    if has_room:
        several = f", {SEVERAL} several" * (len(curve.lines) > 1)
        table.add_column(text_for(console, f"{curve.up} from {low:.3g} to {high:.3g}{several}"), width=width)
    for x, *ys in zip(curve.places, *(line for _, line in curve.lines), strict=True):
        signs = [" "] * width
        for sign, y in zip(SIGNS, ys, strict=False):
            if has_room and math.isfinite(y):
                place = round((y - low) / (high - low) * (width - 1))
                signs[place] = sign if signs[place] == " " else SEVERAL
        table.add_row(f"{x:g}", *(f"{y:.2f}" for y in ys), *["".join(signs)] * has_room)
    return table


# --- the scene of a learner's own code --------------------------------------------------------------------------------


def scene_of(play: Play, stage: Stage) -> Any:
    """Create the scene of an exercise, which has `parts`."""
    module, name = play.scene.split(".")
    return getattr(importlib.import_module(f"grader.play.{module}"), name)(play, stage)


class Showing:
    """The scene of a learner's own code. `has_failed`: whether that code failed in it."""

    def __init__(self, workspace: Workspace, play: Play, standing: Words, stage: Stage) -> None:
        self._workspace, self._play, self._standing, self._stage = workspace, play, standing, stage
        self._scene = scene_of(play, stage)
        self.example = play.example
        self.has_failed = False

    def parts(self, text: str, off: Sequence[str], *, in_full: bool) -> Iterator[Part]:
        """Yield each part as soon as it is computed, and a warning for what goes wrong. The parts are then kept.

        in_full: all parts, for a page. Raises KataError, MachineError.
        """
        seen: list[Part] = []
        try:
            for part in self._scene.parts(text, off, in_full=in_full):
                seen.append(part)
                yield part
        except Stopped as why:
            self.has_failed = True
            yield Words(f"Your code could not go on. {why}", "warning")
            return
        if off:
            return
        try:
            self._keep(played_of(seen, now(), was_right=self._standing.kind != "warning"))
        except OSError as error:
            yield Words(f"What was seen could not be kept for your report: {error.strerror or error}.", "warning")

    def _keep(self, played: Played) -> None:
        """Save it for `kata report`, in place of what was saved before. Raises OSError."""
        path, known = self._workspace.state / FILE_NAME, read_kept(self._workspace.state)
        write_file(path, as_bytes({**known, self._play.id: played}), below=self._workspace.root)

    def write_page(self, parts: Sequence[Part]) -> Path:
        """Write the parts as a page, and return its path. Raises OSError."""
        page = render_play(self._stage.exercise.title, self._standing, self._play.seen, parts)
        path = self._workspace.root / PAGES / f"{self._play.id}.html"
        write_file(path, page.encode("utf-8"), below=self._workspace.root)
        return path


def render_play(title: str, standing: Words, seen: str, parts: Sequence[Part]) -> str:
    """The page of a scene. standing: the state of the exercise; seen: what there is to see."""
    return render_page("play.html.j2", title=title, standing=standing, seen=seen, parts=parts)


def played_of(parts: Sequence[Part], at: datetime, *, was_right: bool) -> Played:
    """What is kept of some parts: the first maps and the last texts."""
    maps = tuple([part for part in parts if isinstance(part, Heat)][:MAPS_KEPT])
    *_, last = (Written("", "", ()), *(part for part in parts if isinstance(part, Written)))
    return Played(at=at, was_right=was_right, maps=maps, given=last.given, wrote=last.texts)


# --- below a notebook's cell: `%kata play ID` -----------------------------------------------------------------------


class _Reader(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise KataError instead of ending the process."""
        raise KataError(f"This is not understood: {message}. Type, say: %kata play ID --without scale")


def read_line(line: str) -> argparse.Namespace:
    """What was typed behind `%kata play`: exercise, text, without, page. Raises KataError."""
    reader = _Reader(prog="%kata play", add_help=False, allow_abbrev=False)
    reader.add_argument("exercise")
    reader.add_argument("--text")
    reader.add_argument("--without", action="append", default=[])
    reader.add_argument("--page", action="store_true")
    try:
        return reader.parse_args(shlex.split(line))
    except ValueError:
        raise KataError("A quotation mark is open: close it.") from None


def played_in_cell(
    workspace: Workspace, exercise: Exercise, source: bytes, typed: argparse.Namespace, *, has_magic: bool
) -> Iterator[tuple[str, str]]:
    """Run the scene of a source; yield its parts as text and HTML. has_magic: whether `%kata` is known there.

    Raises KataError, MachineError.
    """
    play = play_of(exercise.id)
    if play is None:
        raise KataError(f"There is nothing to play in {exercise.id}: `kata play` in a terminal lists what there is.")
    check, again = ("%kata {}", "%kata play {}") if has_magic else ('kata.check("{}")', 'kata.play("{}")')
    standing = standing_with(source, ProgressFile(workspace.state).read(), exercise, check)
    torch.set_num_threads(1)  # more threads are no faster for such small tensors
    with closing(Stage(exercise, source, strongest_level())) as stage:
        showing = Showing(workspace, play, standing, stage)
        yield _drawn(standing)
        seen: list[Part] = []
        text = showing.example if typed.text is None else typed.text
        for part in showing.parts(text, typed.without, in_full=typed.page):
            seen.append(part)
            yield _drawn(part)
        if typed.page:
            page = showing.write_page(seen).relative_to(workspace.root).as_posix()
            yield _drawn(Words(f"The page is {page} in your workspace."))
        else:
            yield _drawn(Words(f"As a page, to point at places of a map: {again.format(f'{play.id} --page')}"))


def _drawn(part: Part) -> tuple[str, str]:
    """A part as text and as HTML. Notebooks remove styles and SVG, so maps and curves are images."""
    text = as_text(lambda console: show(part, console), TEXT_WIDTH).strip("\n")
    return text, render_page("play_cell.html.j2", part=part)
