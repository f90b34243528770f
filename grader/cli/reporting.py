"""`kata report`: a learner's own page."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.service.opening import judge_for

from .app import LEARN, app
from .endings import UsageError
from .practising import damage_told, progress_of, workspace_here
from .terms import CourseFile, Isolation, Seed, ending, level_called, progress, seed_or_fresh

if TYPE_CHECKING:
    from grader.exhibits import Exhibit
    from grader.practice.workspace import Workspace
    from grader.results import Record

PAGE = "report.html"
ENDINGS = (".html", ".htm")


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
        raise UsageError(f"{path} should end in .html: it becomes a page, and an exercise must not be written over.")
    progress_of(workspace)
    from grader.practice.page import learner_of
    from grader.practice.progress import now
    from grader.reports.learner_page import render_learner
    from grader.writing import write_file, write_output

    record, exhibits = _checked(workspace, isolation, seed)
    page = render_learner(learner_of(workspace, progress_of(workspace), now(), record, exhibits))
    if out is None:
        write_file(path, page.encode("utf-8"), below=workspace.root)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_output(path, page.encode("utf-8"))
    print(f"Your progress is in {workspace.shown(path)}")
    if show and not webbrowser.open(path.resolve().as_uri()):
        print("No browser could be opened here: open the file in yours.")


def _checked(
    workspace: Workspace, isolation: str, seed: int | None
) -> tuple[Record | None, dict[tuple[str, str], Exhibit]]:
    """Grade and note everything that is started, as `kata check` does; None when nothing is."""
    from grader.practice.checking import graded, note_record, started, submission_of

    begun = started(workspace, workspace.course.exercises)
    if not begun:
        return None, {}
    level = level_called(isolation, chosen_aloud=False)
    mine = submission_of(workspace, {each.id: workspace.file_of(each) for each in begun})
    judge = judge_for(workspace.course, level, seed_or_fresh(seed, workspace.course), [each.id for each in begun])
    with ending(judge.close), progress("Checking", len(begun)) as advance:
        record, exhibits = graded(judge, mine, advance)
    with damage_told():
        note_record(workspace, mine, record)
    return record, exhibits
