"""`%kata play ID`: an exercise at work, below a notebook's cell: every part as text and as HTML."""

from __future__ import annotations

import argparse
import io
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from rich.console import Console

from grader.course import Exercise
from grader.errors import KataError
from grader.practice.progress import ProgressFile
from grader.practice.workspace import Workspace
from grader.sandbox.doctor import strongest_level

from .catalogue import play_of, standing_with
from .parts import Part, Words
from .scene_page import render_cell
from .scene_terminal import show

TEXT_WIDTH = 100
"""Columns of the text: what fits into a notebook's output without scrolling."""


@dataclass(frozen=True)
class PlayLine:
    """What was typed behind `%kata play`, and how check and play are typed in this notebook."""

    exercise: str
    text: str | None
    without: list[str]
    page: bool
    check: str
    play: str

    @classmethod
    def read(cls, line: str, *, has_magic: bool) -> PlayLine:
        """Parse it. Raises KataError."""
        reader = _Reader(prog="%kata play", add_help=False, allow_abbrev=False)
        reader.add_argument("exercise")
        reader.add_argument("--text")
        reader.add_argument("--without", action="append", default=[])
        reader.add_argument("--page", action="store_true")
        try:
            typed = vars(reader.parse_args(shlex.split(line)))
        except ValueError:
            raise KataError("A quotation mark is open: close it.") from None
        start, end = ("%kata {}", "%kata play {}") if has_magic else ('kata.check("{}")', 'kata.play("{}")')
        return cls(**typed, check=start, play=end)


class _Reader(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise KataError instead of ending the process."""
        raise KataError(f"This is not understood: {message}. Type, say: %kata play ID --without scale")


def played_in_cell(
    workspace: Workspace, exercise: Exercise, source: bytes, line: PlayLine
) -> Iterator[tuple[str, str]]:
    """Run the scene of a source; yield its parts. Raises KataError, NotYet, MachineError."""
    import torch

    from .showing import Showing
    from .stage import Stage

    play = play_of(exercise.id)
    if play is None:
        raise KataError(f"There is nothing to play in {exercise.id}: `kata play` in a terminal lists what there is.")
    standing = standing_with(source, ProgressFile(workspace.state).read(), exercise, line.check)
    torch.set_num_threads(1)  # more threads are no faster for such small tensors
    stage = Stage(exercise, source, strongest_level())
    try:
        showing = Showing(workspace, play, standing, stage)
        yield _drawn(Words(standing.said, "warning" if standing.is_warning else "plain"))
        seen: list[Part] = []
        for part in showing.parts(showing.example if line.text is None else line.text, line.without, in_full=line.page):
            seen.append(part)
            yield _drawn(part)
        if line.page:
            yield _drawn(Words(f"The page is {workspace.shown(showing.write_page(seen))}"))
        else:
            again = line.play.format(f"{play.id} --page")
            yield _drawn(Words(f"As a page, to point at places of a map: {again}"))
    finally:
        stage.close()


def _drawn(part: Part) -> tuple[str, str]:
    # ignore the kernel's environment, which asks for colours
    console = Console(file=io.StringIO(), width=TEXT_WIDTH, force_terminal=False, legacy_windows=False)
    with console.capture() as captured:
        show(part, console)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    return "\n".join(lines).strip("\n"), render_cell([part])
