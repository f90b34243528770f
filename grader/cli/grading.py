"""`kata grade` for one submission, and `kata report`, a learner's own page."""

from __future__ import annotations

import webbrowser
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.service.client import judge_for

from .app import LEARN, TEACH, app
from .endings import EXIT_CANNOT_ISOLATE, UsageError, stop
from .expected import demand_there
from .practising import progress_of, workspace_here
from .terms import (
    CourseFile,
    Exempt,
    Extensions,
    HandedIn,
    Isolation,
    Only,
    Raw,
    Seed,
    Units,
    chosen_exercises,
    console,
    course_at,
    level_called,
    progress,
    refuse_exposed,
    say,
    seed_or_fresh,
)

if TYPE_CHECKING:
    from grader.course import Course
    from grader.practice.checking import Checked
    from grader.practice.workspace import Workspace
    from grader.record import Record


@app.command(rich_help_panel=TEACH)
def grade(
    path: Annotated[Path, typer.Argument(help="A folder, zip, notebook or file.", metavar="PATH")],
    only: Only = None,
    unit: Units = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write the record here; - for standard output.")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the report here as a page.")] = None,
    isolation: Isolation = "full",
    seed: Seed = None,
    handed_in: HandedIn = None,
    extensions: Extensions = None,
    exempt: Exempt = None,
    raw: Raw = False,
    course: CourseFile = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show passed checks too.")] = False,
) -> None:
    """Grade one submission."""
    level = level_called(isolation, chosen_aloud=True)
    chosen = course_at(course)
    demand_there(path, "one learner's folder, zip, notebook or file", "kata grade {}")
    refuse_exposed(level, chosen.root)
    exercises = chosen_exercises(chosen, only, unit)
    from grader.classroom.course_digest import stamped
    from grader.classroom.final_points import final_record
    from grader.classroom.kept_times import PolicyTables
    from grader.course.headings import titles_of, units_of
    from grader.intake import read_submission

    given = PolicyTables(handed_in, extensions, exempt, raw).read(chosen)
    submission = read_submission(path, chosen)
    judge = judge_for(chosen, level, seed_or_fresh(seed, chosen), exercises)
    records: list[Record] = []
    with closing(judge), progress("Grading", len(exercises) or len(chosen.exercises)) as advance:
        judge.grade([submission], records.append, advance)
    record = stamped(records[0], chosen)
    if not raw:
        record, remarks = final_record(record, chosen, given)
        for remark in remarks:
            say(remark)
    _write_outputs(record, chosen, json, html)
    if json != Path("-"):
        from grader.render.terminal import print_record

        print_record(record, console(), titles=titles_of(chosen), units=units_of(chosen), verbose=verbose)
    if not record.complete:
        stop(
            "Some exercises could not be graded: that is the grader's fault, not the learner's.",
            EXIT_CANNOT_ISOLATE,
        )


def _write_outputs(record: Record, course: Course, json: Path | None, html: Path | None) -> None:
    from grader.files import write_output

    if json == Path("-"):
        print(record.to_json())
    elif json is not None:
        write_output(json, f"{record.to_json()}\n".encode())
    if html is not None:
        from grader.course.headings import titles_of, units_of
        from grader.render.record_page import render_record

        write_output(html, render_record(record, titles=titles_of(course), units=units_of(course)).encode("utf-8"))


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
    from grader.files import write_file, write_output
    from grader.play.keeping import read_kept
    from grader.practice.page import learner_of
    from grader.practice.progress import now
    from grader.render.learner_page import render_learner

    checked = _checked(workspace, isolation, seed)
    page = render_learner(learner_of(workspace, progress_of(workspace), now(), checked, read_kept(workspace)))
    if out is None:
        write_file(path, page.encode("utf-8"), below=workspace.root)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_output(path, page.encode("utf-8"))
    print(f"Your progress is in {workspace.shown(path)}")
    if show and not webbrowser.open(path.resolve().as_uri()):
        print("No browser could be opened here: open the file in yours.")


def _checked(workspace: Workspace, isolation: str, seed: int | None) -> Checked | None:
    """Check everything that is started; None if nothing is."""
    from grader.practice.checking import check_files, files_started

    begun = files_started(workspace)
    if not begun:
        return None
    level = level_called(isolation, chosen_aloud=False)
    with progress("Checking", len(begun)) as advance:
        checked = check_files(workspace, begun, level, seed_or_fresh(seed, workspace.course), advance)
    if checked.noted.damage:
        say(checked.noted.damage)
    return checked
