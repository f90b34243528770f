"""What a learner has done: `kata review` brings it back to be written again, `kata report` shows it on a page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from grader.errors import KataError

from .app import LEARN, app, say
from .learn import progress_of, workspace_here
from .terms import CourseFile, Seed, best_level, console, exercise_ids, open_page, progress, seed_or_fresh

if TYPE_CHECKING:
    from grader.practice.review import Coming
    from grader.practice.workspace import Workspace

PAGE = "report.html"
ENDINGS = (".html", ".htm")


@app.command(rich_help_panel=LEARN)
def review(
    id: Annotated[
        str | None,
        Argument(
            help="The exercise's id; the one that is due first by default.", metavar="[ID]", autocompletion=exercise_ids
        ),
    ] = None,
    due: Annotated[bool, Option("--due", help="Only list what is due and what comes later.")] = False,
    course: CourseFile = None,
) -> None:
    """Write a passed exercise again from the formula, when it is due or when you ask for it."""
    from grader.practice.progress import now
    from grader.practice.review import coming_back, day_of, hand_out, when

    workspace, at = workspace_here(course), now()
    wanted = workspace.course.exercise(id) if id is not None else None
    coming = coming_back(workspace.course, progress_of(workspace), at)
    if wanted is not None:
        coming = [each for each in coming if each.exercise == wanted]
        if not coming:
            raise KataError(f"{wanted.id} is not passed yet, so there is nothing to review: kata check {wanted.id}")
    if not coming:
        print("Nothing is passed yet. What you pass comes back here, to be written again from the formula.")
        return
    first, exercise = coming[0], coming[0].exercise
    if due:
        _print_coming(workspace, coming, at)
        return
    if wanted is None and not first.is_due:
        print(f"Nothing is due. Next is {exercise.id}, {when(first.due, at)}.")
        print(f"`kata review {exercise.id}` brings it now, `kata review --due` lists all.")
        return
    given = hand_out(workspace, exercise)
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


def _print_coming(workspace: Workspace, coming: Sequence[Coming], at: datetime) -> None:
    """List what is due now and what comes later."""
    from rich.table import Table

    from grader.practice.review import day_of, local_date, when
    from grader.render.terminal import text_for

    screen, due = console(), [each for each in coming if each.is_due]

    def put_rows(those: Sequence[Coming]) -> None:
        rows = Table.grid(padding=(0, 2, 0, 0))
        for each in those:
            begun = " (begun)" if each.is_open and workspace.review_file_of(each.exercise).exists() else ""
            is_late = each.is_due and local_date(each.due) != local_date(at)
            time = f"since {day_of(each.due)}" if is_late else when(each.due, at)
            title = f"{each.exercise.id}: {each.exercise.title}{begun}"
            rows.add_row("", text_for(screen, title), text_for(screen, time))
        if those:
            screen.print(rows)

    _put(f"Due now: {len(due)}" if due else "Nothing is due.", "bold")
    put_rows(due)
    if later := [each for each in coming if not each.is_due]:
        _put(f"Later: {len(later)}", "bold")
        put_rows(later)
    if due:
        _put("`kata review` brings the first, `kata review ID` any of them.")


def _put(shown: str, style: str = "") -> None:
    """Print a line without wrapping: a file name must be copyable in one piece."""
    from grader.practice.overview import put

    put(console(), shown, style, is_wrapped=False)


@app.command(rich_help_panel=LEARN)
def report(
    out: Annotated[
        Path | None, Option("--out", help=f"The file to write; {PAGE} beside your exercises folder by default.")
    ] = None,
    show: Annotated[bool, Option("--open", help="Open it in the browser.")] = False,
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
    from grader.practice.checking import check_works, works_started
    from grader.practice.learner_page import render_learner
    from grader.practice.progress import now

    checked, begun = None, works_started(workspace)
    if begun:
        level = best_level()
        with progress("Checking", len(begun)) as advance:
            checked = check_works(workspace, begun, level, seed_or_fresh(seed, workspace.course), advance)
        for sentence in checked.told:
            say(sentence)
    page = render_learner(workspace, progress_of(workspace), now(), checked, read_kept(workspace.state))
    if out is None:
        write_file(path, page.encode("utf-8"), below=workspace.root)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_output(path, page.encode("utf-8"))
    print(f"Your progress is in {workspace.shown(path)}")
    if show:
        open_page(path)
