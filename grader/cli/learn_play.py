"""`kata play`: runs a learner's own code in a small trained model."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.errors import EXIT_NOT_RIGHT, KataError
from grader.sandbox.levels import launch_ahead

from .app import LEARN, app
from .learn import progress_of, workspace_here
from .terms import CourseFile, Isolation, console, exercise_ids, level_called, open_page

if TYPE_CHECKING:
    from rich.console import Console

    from grader.play.catalogue import Play
    from grader.play.showing import Showing
    from grader.practice.progress import Progress
    from grader.practice.workspace import Workspace

ASKED = "> "
GO_ON = "Stopped. Enter goes on, anything else ends: "


@app.command(rich_help_panel=LEARN)
def play(
    id: Annotated[
        str | None,
        typer.Argument(
            help="The exercise's id; without one, what can be played.", metavar="ID", autocompletion=exercise_ids
        ),
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", help="The text for the model; otherwise it is asked for.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="A file with that text, such as one for tiny_gpt to learn.")
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without", help="Switch a part off: mask, scale, residual, positions, head:1.3. May be given again."
        ),
    ] = None,
    page: Annotated[bool, typer.Option("--page", help="Write a page into play/ beside your exercises.")] = False,
    show: Annotated[bool, typer.Option("--open", help="Write the page and open it in the browser.")] = False,
    isolation: Isolation = "best",
    course: CourseFile = None,
) -> None:
    """Run your own code in a small trained model, and see what it attends to."""
    workspace = workspace_here(course)
    progress = progress_of(workspace)
    if id is None:
        if text is not None or file is not None or without or page or show:
            raise KataError("Play which exercise? `kata play` lists those that can be played.")
        print_list(workspace, progress, console())
        return
    if file is not None:
        text = _text_of(file)
    from grader.play.catalogue import play_of, standing_of

    exercise = workspace.course.exercise(id)
    chosen = play_of(exercise.id)
    if chosen is None:
        raise KataError(f"There is nothing to play in {exercise.id}: `kata play` lists what there is.")
    standing = standing_of(workspace, progress, exercise)
    source = workspace.file_of(exercise).read_bytes()
    level = level_called(isolation, chosen_aloud=False)
    launched = None if level == "none" else launch_ahead(level)  # the worker loads torch while this process loads it
    if not (page or show):
        console().print(standing.said, style="yellow" if standing.is_warning else "green")
        console().print()
    import torch

    from grader.play.showing import Showing
    from grader.play.stage import Stage

    torch.set_num_threads(1)  # more threads are no faster for such small tensors
    stage = Stage(exercise, source, level, launched)
    with closing(stage):
        showing = Showing(workspace, chosen, standing, stage)
        if page or show:
            shown = showing.example if text is None else text
            path = showing.write_page(list(showing.parts(shown, without or [], in_full=True)))
            print(f"The page is {workspace.shown(path)}")
            if show:
                open_page(path)
        else:
            _InTerminal(showing, chosen).play(text, without or [])
    if showing.has_failed:
        sys.exit(EXIT_NOT_RIGHT)


def print_list(workspace: Workspace, progress: Progress, screen: Console) -> None:
    """Print what can be played, and what to do first. Loads no model."""
    from rich.table import Table

    from grader.play.catalogue import PLAYS, waits_for

    screen.print("Your own code at work in small trained models: kata play ID")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    known = {exercise.id for exercise in workspace.course.exercises}
    for each in PLAYS:
        if each.id in known:
            first = waits_for(workspace, progress, each)
            table.add_row(each.id, each.seen + (f" ({first})" if first else ""), style="dim" if first else "")
    if table.row_count:
        screen.print(table)
    else:
        screen.print("None of this course's exercises can be played.")


class _InTerminal:
    """One scene, shown to a person."""

    def __init__(self, showing: Showing, play: Play) -> None:
        self._showing, self._play, self._screen = showing, play, console()
        self._is_typed_to = sys.stdin.isatty() and sys.stdout.isatty()

    def play(self, text: str | None, off: Sequence[str]) -> None:
        """Show a scene: of the given text, or of the example and then of each typed text, if there is a keyboard."""
        goes_on = True
        while goes_on:
            try:
                goes_on = False
                self._run(self._showing.example if text is None else text, off, has_keys=text is None)
            except KeyboardInterrupt:
                if not (self._is_typed_to and self._play.goes_on):
                    raise
                print()
                if input(GO_ON).strip():
                    raise
                goes_on = True
        if text is None and self._is_typed_to and (self._play.reads or self._play.switches):
            self._converse(list(off))

    def _run(self, text: str, off: Sequence[str], *, has_keys: bool) -> None:
        from grader.play.parts import Slider
        from grader.play.scene_terminal import show, slide

        for part in self._showing.parts(text, off, in_full=False):
            if has_keys and self._is_typed_to and isinstance(part, Slider):
                slide(part, self._screen)
            else:
                show(part, self._screen)

    def _converse(self, off: list[str]) -> None:
        """Play each typed line, until an empty one."""
        from grader.play.parts import Words
        from grader.play.scene_terminal import show

        text = self._showing.example
        self._screen.print(self._what_to_type(), style="dim", markup=False)
        while (line := _line()) is not None:
            words = line.split()
            if words[0] == "without" and self._play.switches:
                off = words[1:]
            elif self._play.reads:
                text = line
            try:
                self._run(text, off, has_keys=True)
            except KataError as error:
                show(Words(str(error), "warning"), self._screen)

    def _what_to_type(self) -> str:
        lines = [f"Type {self._play.reads}." if self._play.reads else ""]
        if self._play.switches:
            names = ["head:1.3" if switch == "head" else switch for switch in self._play.switches]
            lines.append(
                f"`without {names[0]}` switches a part off (there is {', '.join(names)}), `without` all on again."
            )
        return " ".join(filter(None, [*lines, "An empty line ends."]))


def _text_of(file: Path) -> str:
    """The text of a file. Raises KataError if it is not text, OSError."""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise KataError(f"{file} is no text in UTF-8.") from None


def _line() -> str | None:
    """A typed line; None for an empty one, at the end of the input and at Ctrl-C."""
    try:
        return input(ASKED).strip() or None
    except (EOFError, KeyboardInterrupt):
        print()
        return None
