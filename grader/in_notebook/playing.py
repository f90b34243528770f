"""`%kata play ID`: runs an answer in a small trained model; shows the scene as text and as HTML.

The parts of a scene are sent one by one, so that the learner can watch a model train.
"""

from __future__ import annotations

import argparse
import io
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, NoReturn

from grader.cli.endings import UsageError
from grader.sandbox.doctor import strongest_level

if TYPE_CHECKING:
    from grader.course import Exercise
    from grader.play.catalogue import Play, Scene, Standing
    from grader.play.parts import Part
    from grader.practice.workspace import Workspace

TEXT_WIDTH = 100
"""Columns of the text: what fits into a notebook's output without scrolling."""
PAGES = "play"


@dataclass(frozen=True)
class Typed:
    """The commands for checking and playing in this notebook; they differ if the magic was not loaded."""

    check: str
    play: str


AS_MAGIC = Typed("%kata {}", "%kata play {}")
AS_CALLS = Typed('kata.check("{}")', 'kata.play("{}")')

Shown = Iterator[tuple[str, str, bool]]
"""Text, the same as HTML, and whether more follows."""


@dataclass(frozen=True)
class Words:
    """The arguments of `%kata play`."""

    exercise: str
    text: str | None
    without: tuple[str, ...]
    page: bool
    typed: Typed


class _Reader(argparse.ArgumentParser):
    """Raises UsageError instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"This is not understood: {message}. Type, say: %kata play ID --without scale")


def words_of(line: str, typed: Typed) -> Words:
    """Parse the arguments. Raises UsageError, with one sentence."""
    reader = _Reader(prog="%kata play", add_help=False, allow_abbrev=False)
    reader.add_argument("exercise")
    reader.add_argument("--text")
    reader.add_argument("--without", action="append", default=[])
    reader.add_argument("--page", action="store_true")
    try:
        words = shlex.split(line)
    except ValueError:
        raise UsageError("A quotation mark is open: close it.") from None
    read = reader.parse_args(words)
    return Words(read.exercise, read.text, tuple(read.without), read.page, typed)


@contextmanager
def playing(workspace: Workspace, exercise: Exercise, source: bytes, words: Words) -> Iterator[Shown]:
    """Run the scene of a source; yields its parts. Raises UsageError, MachineError."""
    import torch

    from grader.cli.practising import progress_of
    from grader.play.catalogue import NotYet, play_of, scene_of, standing_with
    from grader.play.stage import Stage

    play = play_of(exercise.id)
    if play is None:
        raise UsageError(f"There is nothing to play in {exercise.id}: `kata play` in a terminal lists what there is.")
    try:
        standing = standing_with(source, progress_of(workspace), exercise, words.typed.check)
    except NotYet as first:
        raise UsageError(str(first)) from None
    torch.set_num_threads(1)  # more threads are no faster for such small tensors
    stage = Stage(exercise, source, strongest_level())
    try:
        yield _Show(workspace, exercise, play, standing, scene_of(play, stage), source).shown(words)
    finally:
        stage.close()


class _Show:
    """Shows one scene below a cell."""

    def __init__(
        self, workspace: Workspace, exercise: Exercise, play: Play, standing: Standing, scene: Scene, source: bytes
    ) -> None:
        self._workspace, self._exercise, self._play = workspace, exercise, play
        self._standing, self._scene, self._source = standing, scene, source

    def shown(self, words: Words) -> Shown:
        """Yield all parts; if a page was asked for, its path last."""
        from grader.play.catalogue import BadText, UnknownSwitch
        from grader.play.parts import Words as Said
        from grader.play.stage import Stopped

        seen: list[Part] = [Said(self._standing.said, "warning" if self._standing.is_warning else "plain")]
        yield *_drawn(seen), True
        try:
            text = self._scene.example if words.text is None else words.text
            for part in self._scene.parts(text, words.without, in_full=words.page):
                seen.append(part)
                yield *_drawn([part]), True
            remarks = self._kept(seen, words)
        except Stopped as why:
            seen.append(Said(f"Your code could not go on. {why}", "warning"))
            yield *_drawn(seen[-1:]), True
        except (BadText, UnknownSwitch) as error:
            yield str(error), f"<p>{escape(str(error))}</p>", False
            return
            remarks = []
        yield *_drawn([*map(Said, remarks), Said(self._closing(seen, words))]), False

    def _closing(self, seen: Sequence[Part], words: Words) -> str:
        if not words.page:
            again = words.typed.play.format(f"{self._play.id} --page")
            return f"As a page, to point at places of a map: {again}"
        from grader.play.page import render_play
        from grader.writing import write_file

        is_warning = self._standing.is_warning
        page = render_play(self._exercise.title, self._standing.said, self._play.seen, seen[1:], is_warning=is_warning)
        path = self._workspace.root / PAGES / f"{self._play.id}.html"
        write_file(path, page.encode("utf-8"), below=self._workspace.root)
        return f"The page is {self._workspace.shown(path)}"

    def _kept(self, seen: Sequence[Part], words: Words) -> list[str]:
        """Save what was shown with nothing switched off; returns sentences about it."""
        from grader.play.catalogue import digest_of
        from grader.play.keeping import keep, played_of
        from grader.practice.progress import now

        if words.without:
            return []
        was_right = not self._standing.is_warning
        try:
            keep(self._workspace, self._play.id, played_of(seen, now(), digest_of(self._source), was_right=was_right))
        except OSError as error:
            return [f"What was seen could not be kept for your report: {error.strerror or error}."]
        return []


def _drawn(parts: Sequence[Part]) -> tuple[str, str]:
    from rich.console import Console

    from grader.play.page import render_cell
    from grader.play.terminal import show

    # ignore the kernel's environment, which asks for colours
    console = Console(file=io.StringIO(), width=TEXT_WIDTH, force_terminal=False, legacy_windows=False)
    with console.capture() as captured:
        for part in parts:
            show(part, console)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    return "\n".join(lines).strip("\n"), render_cell(parts)
