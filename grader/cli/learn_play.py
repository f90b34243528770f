"""`kata play`: runs a learner's own code in a small trained model."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from grader.errors import EXIT_NOT_RIGHT, KataError
from grader.sandbox.levels import launch_ahead

from .app import LEARN, app
from .learn import progress_of, workspace_here
from .terms import CourseFile, best_level, console, exercise_ids, open_page

if TYPE_CHECKING:
    from grader.play.catalogue import Play
    from grader.play.showing import Showing
    from grader.practice.progress import Progress
    from grader.practice.workspace import Workspace

ASKED = "> "
GO_ON = "Stopped. Enter goes on, anything else ends: "
PARTS = "Switch a part off: mask, scale, residual, positions, head:1.3. May be given again."
PLAYED_ID = "The exercise's id; without one, what can be played."


@app.command(rich_help_panel=LEARN)
def play(
    id: Annotated[str | None, Argument(help=PLAYED_ID, metavar="ID", autocompletion=exercise_ids)] = None,
    text: Annotated[str | None, Option("--text", help="The text for the model; otherwise it is asked for.")] = None,
    file: Annotated[
        Path | None, Option("--file", help="A file with that text, such as one for tiny_gpt to learn.")
    ] = None,
    without: Annotated[list[str] | None, Option("--without", help=PARTS)] = None,
    page: Annotated[bool, Option("--page", help="Write a page into play/ beside your exercises.")] = False,
    show: Annotated[bool, Option("--open", help="Write the page and open it in the browser.")] = False,
    course: CourseFile = None,
) -> None:
    """Run your own code in a small trained model, and see what it attends to."""
    workspace = workspace_here(course)
    progress = progress_of(workspace)
    if id is None:
        if text is not None or file is not None or without or page or show:
            raise KataError("Play which exercise? `kata play` lists those that can be played.")
        print_list(workspace, progress)
        return
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise KataError(f"{file} is no text in UTF-8.") from None
    from grader.play.catalogue import play_of, standing_of

    exercise = workspace.course.exercise(id)
    chosen = play_of(exercise.id)
    if chosen is None:
        raise KataError(f"There is nothing to play in {exercise.id}: `kata play` lists what there is.")
    standing = standing_of(workspace, progress, exercise)
    source = workspace.file_of(exercise).read_bytes()
    level = best_level()
    launched = launch_ahead(level)  # the worker loads torch while this process loads it
    if not (page or show):
        console().print(standing.text, style="yellow" if standing.kind == "warning" else "green")
        console().print()
    import torch

    from grader.play.showing import Showing
    from grader.play.stage import Stage

    torch.set_num_threads(1)  # more threads are no faster for such small tensors
    with closing(Stage(exercise, source, level, launched)) as stage:
        showing = Showing(workspace, chosen, standing, stage)
        if page or show:
            shown = showing.example if text is None else text
            path = showing.write_page(list(showing.parts(shown, without or [], in_full=True)))
            print(f"The page is {workspace.shown(path)}")
            if show:
                open_page(path)
        else:
            _in_terminal(showing, chosen, text, without or [])
    if showing.has_failed:
        sys.exit(EXIT_NOT_RIGHT)


def print_list(workspace: Workspace, progress: Progress) -> None:
    """Print what can be played, and what to do first. Loads no model."""
    from rich.table import Column, Table

    from grader.play.catalogue import PLAYS, waits_for

    screen = console()
    screen.print("Your own code at work in small trained models: kata play ID")
    columns = (Column(no_wrap=True), Column(overflow="fold"))
    table = Table(*columns, box=None, show_header=False, padding=(0, 2, 0, 0))
    known = {exercise.id for exercise in workspace.course.exercises}
    for each in PLAYS:
        if each.id in known:
            first = waits_for(workspace, progress, each)
            table.add_row(each.id, each.seen + (f" ({first})" if first else ""), style="dim" if first else "")
    screen.print(table if table.row_count else "None of this course's exercises can be played.")


def _in_terminal(showing: Showing, play: Play, text: str | None, off: Sequence[str]) -> None:
    """Show a scene: of the given text, or of the example and then of each typed text, if there is a keyboard."""
    is_typed_to = sys.stdin.isatty() and sys.stdout.isatty()
    has_keys = is_typed_to and text is None
    while True:
        try:
            _show(showing, showing.example if text is None else text, off, has_keys=has_keys)
            break
        except KeyboardInterrupt:
            if not (is_typed_to and play.goes_on):
                raise
            print()
            if input(GO_ON).strip():
                raise
    if has_keys and (play.reads or play.switches):
        _converse(showing, play, off)


def _show(showing: Showing, text: str, off: Sequence[str], *, has_keys: bool) -> None:
    from grader.play.parts import Slider
    from grader.play.showing import show, slide

    for part in showing.parts(text, off, in_full=False):
        if has_keys and isinstance(part, Slider):
            slide(part, console())
        else:
            show(part, console())


def _converse(showing: Showing, play: Play, off: Sequence[str]) -> None:
    """Play each typed line, until an empty one, the end of the input or Ctrl-C."""
    from grader.play.parts import Words
    from grader.play.showing import show

    told = [f"Type {play.reads}."] if play.reads else []
    if play.switches:
        names = ["head:1.3" if switch == "head" else switch for switch in play.switches]
        there = f"(there is {', '.join(names)}), `without` turns all on."
        told.append(f"`without {names[0]}` switches a part off {there}")
    console().print(" ".join([*told, "An empty line ends."]), style="dim", markup=False)
    text = showing.example
    while True:
        try:
            line = input(ASKED).strip()
        except (EOFError, KeyboardInterrupt):
            print()
            return
        words = line.split()
        if not words:
            return
        if words[0] == "without" and play.switches:
            off = words[1:]
        elif play.reads:
            text = line
        try:
            _show(showing, text, off, has_keys=True)
        except KataError as error:
            show(Words(str(error), "warning"), console())
