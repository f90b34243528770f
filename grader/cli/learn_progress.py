"""What a learner has done: `kata review` brings it back to be written again, `kata report` shows it on a page."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.errors import KataError

from .app import LEARN, app
from .learn import progress_of, workspace_here
from .terms import (
    CourseFile,
    Isolation,
    Seed,
    console,
    exercise_ids,
    level_called,
    open_page,
    progress,
    say,
    seed_or_fresh,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.course import Exercise
    from grader.practice.checking import Checked
    from grader.practice.review import Coming, HandedOut
    from grader.practice.workspace import Workspace

PAGE = "report.html"
ENDINGS = (".html", ".htm")


@app.command(rich_help_panel=LEARN)
def review(
    id: Annotated[
        str | None,
        typer.Argument(
            help="The exercise's id; the one that is due first by default.", metavar="[ID]", autocompletion=exercise_ids
        ),
    ] = None,
    due: Annotated[bool, typer.Option("--due", help="Only list what is due and what comes later.")] = False,
    course: CourseFile = None,
) -> None:
    """Write a passed exercise again from the formula, when it is due or when you ask for it."""
    from grader.practice.progress import now
    from grader.practice.review import coming_back, hand_out

    workspace = workspace_here(course)
    wanted = workspace.course.exercise(id) if id is not None else None
    at = now()
    coming = coming_back(workspace.course, progress_of(workspace), at)
    if wanted is not None:
        coming = [each for each in coming if each.exercise == wanted]
        if not coming:
            raise KataError(f"{wanted.id} is not passed yet, so there is nothing to review: kata check {wanted.id}")
    if not coming:
        print("Nothing is passed yet. What you pass comes back here, to be written again from the formula.")
    elif due:
        _print_list(workspace, coming, at)
    elif wanted is not None or coming[0].is_due:
        exercise = coming[0].exercise
        _print_handed_out(workspace, exercise, hand_out(workspace, exercise))
    else:
        _print_nothing_due(coming[0], at)


def _print_nothing_due(first: Coming, at: datetime) -> None:
    from grader.practice.review import when

    print(f"Nothing is due. Next is {first.exercise.id}, {when(first.due, at)}.")
    print(f"`kata review {first.exercise.id}` brings it now, `kata review --due` lists all.")


def _print_handed_out(workspace: Workspace, exercise: Exercise, given: HandedOut) -> None:
    from grader.practice.review import day_of

    file = workspace.shown(given.path)
    _put(f"Review: {exercise.title} ({exercise.id})", "bold yellow")
    if given.since is not None:
        _put(f"  begun    on {day_of(given.since)}; the file is as you left it. Delete it to start afresh.")
    _put(f"  file     {file}, the formula is at its top")
    _put(f"  lesson   {workspace.section_of(exercise)}")
    _put(f"  check    kata check {file}    or leave `kata watch` running")
    if given.kept is not None:
        _put(f"  before   your last review of it is in {workspace.shown(given.kept)}", "dim")
    task = "Find the fault" if exercise.kind == "debug" else "Write it from the formula"
    _put(f"{task}, without a look at your old work.")


def _print_list(workspace: Workspace, coming: Sequence[Coming], at: datetime) -> None:
    from grader.practice.review import when

    due = [each for each in coming if each.is_due]
    later = [each for each in coming if not each.is_due]
    _put(f"Due now: {len(due)}" if due else "Nothing is due.", "bold")
    _print_rows(workspace, due, [_since(each.due, at) for each in due])
    if later:
        _put(f"Later: {len(later)}", "bold")
        _print_rows(workspace, later, [when(each.due, at) for each in later])
    if due:
        _put("`kata review` brings the first, `kata review ID` any of them.")


def _since(due: datetime, at: datetime) -> str:
    from grader.practice.review import day_of, local_date

    return "today" if local_date(due) == local_date(at) else f"since {day_of(due)}"


def _print_rows(workspace: Workspace, coming: Sequence[Coming], times: Sequence[str]) -> None:
    from rich.table import Table

    from grader.render.terminal import text_for

    screen = console()
    rows = Table.grid(padding=(0, 2, 0, 0))
    for each, time in zip(coming, times, strict=True):
        file = workspace.review_file_of(each.exercise)
        begun = " (begun)" if each.is_open and file.exists() else ""
        rows.add_row("", text_for(screen, f"{each.exercise.id}: {each.exercise.title}{begun}"), text_for(screen, time))
    if coming:
        screen.print(rows)


def _put(shown: str, style: str = "") -> None:
    """Print a line without wrapping: a file name must be copyable in one piece."""
    from grader.practice.overview import put

    put(console(), shown, style, is_wrapped=False)


@app.command(rich_help_panel=LEARN)
def report(
    out: Annotated[
        Path | None,
        typer.Option("--out", help=f"The file to write; {PAGE} beside your exercises folder by default."),
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    isolation: Isolation = "best",
    seed: Seed = None,
    course: CourseFile = None,
) -> None:
    """Check what you have started, and write your progress as a page."""
    workspace = workspace_here(course)
    path = workspace.root / PAGE if out is None else out
    if path.suffix.lower() not in ENDINGS:
        raise KataError(f"{path} should end in .html: it becomes a page, and an exercise must not be written over.")
    progress_of(workspace)
    from grader.files import write_file, write_output
    from grader.played import read_kept
    from grader.practice.learner_page import render_learner
    from grader.practice.progress import now

    checked = _checked(workspace, isolation, seed)
    page = render_learner(workspace, progress_of(workspace), now(), checked, read_kept(workspace.state))
    if out is None:
        write_file(path, page.encode("utf-8"), below=workspace.root)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_output(path, page.encode("utf-8"))
    print(f"Your progress is in {workspace.shown(path)}")
    if show:
        open_page(path)


def _checked(workspace: Workspace, isolation: str, seed: int | None) -> Checked | None:
    """Check everything that is started; None if nothing is."""
    from grader.practice.checking import check_works, works_started

    begun = works_started(workspace)
    if not begun:
        return None
    level = level_called(isolation, chosen_aloud=False)
    with progress("Checking", len(begun)) as advance:
        checked = check_works(workspace, begun, level, seed_or_fresh(seed, workspace.course), advance)
    for sentence in checked.told:
        say(sentence)
    return checked
