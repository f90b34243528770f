"""`kata grade` for one submission, and `kata report`, a learner's own page."""

from __future__ import annotations

import sys
import webbrowser
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.service.opening import judge_for

from .app import LEARN, TEACH, app
from .endings import EXIT_CANNOT_ISOLATE, UsageError, stop
from .expected import demand_there
from .practising import damage_told, progress_of, workspace_here
from .terms import (
    CourseFile,
    Exempt,
    Extensions,
    HandedIn,
    Hints,
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
    seed_or_fresh,
    times_given,
    titles_of,
    units_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.classroom.kept_times import KeptTimes
    from grader.course import Course
    from grader.mismatch import Mismatch
    from grader.played import Played
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
    hints: Hints = None,
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
    given = times_given(handed_in, extensions, hints, exempt, raw, chosen)
    from grader.intake import read_submission

    submission = read_submission(path, chosen)
    judge = judge_for(chosen, level, seed_or_fresh(seed, chosen), exercises)
    records: list[Record] = []
    with closing(judge), progress("Grading", judge.count) as advance:
        judge.grade([submission], records.append, advance)
    graded = _stamped(records[0], chosen)
    record = graded if raw else _final(graded, chosen, given)
    _write_outputs(record, chosen, json, html)
    if json != Path("-"):
        from grader.render.terminal import print_record

        print_record(record, console(), titles=titles_of(chosen), units=units_of(chosen), verbose=verbose)
    if not record.complete:
        stop(
            "Some exercises could not be graded: that is the grader's fault, not the learner's.",
            EXIT_CANNOT_ISOLATE,
        )


def _stamped(record: Record, course: Course) -> Record:
    """The record with the course's digest."""
    from grader.classroom.course_digest import course_digest

    return record.model_copy(update={"course": record.course.model_copy(update={"digest": course_digest(course)})})


def _final(record: Record, course: Course, times: KeptTimes) -> Record:
    """The record with the final points of the course's policy; missing information is named on standard error."""
    from grader.classroom.final_points import hand_ins, without_hints
    from grader.classroom.members import Learner
    from grader.policy.adjusting import adjusted

    # the CSVs may be for the whole class, so rows about others are not reported
    known = hand_ins(times, [Learner(name=record.submission, shown=record.submission)]).of(record.submission)
    if course.policy.due and not known.at:
        print(f"When {record.submission} handed in is not known, so it counts as in time.", file=sys.stderr)
    for remark in without_hints(times, course):
        print(remark, file=sys.stderr)
    if times.hints is not None and not known.hints:
        print(f"No opened hints of {record.submission} are in the list, so they cost nothing.", file=sys.stderr)
    return adjusted(record, course, known)


def _write_outputs(record: Record, course: Course, json: Path | None, html: Path | None) -> None:
    from grader.writing import write_output

    if json == Path("-"):
        print(record.to_json())
    elif json is not None:
        write_output(json, f"{record.to_json()}\n".encode())
    if html is not None:
        write_output(html, page_of(record, course))


def page_of(record: Record, course: Course, played: Mapping[str, Played] | None = None) -> bytes:
    """A record as a page, with the maps of `kata play` that the learner handed in."""
    from grader.render.small_pages import render_record

    page = render_record(record, titles=titles_of(course), units=units_of(course), played=played or {})
    return page.encode("utf-8")


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
    from grader.play.keeping import read_kept
    from grader.practice.page import learner_of
    from grader.practice.progress import now
    from grader.render.learner_page import render_learner
    from grader.writing import write_file, write_output

    record, mismatches = _checked(workspace, isolation, seed)
    seen = read_kept(workspace)
    page = render_learner(learner_of(workspace, progress_of(workspace), now(), record, mismatches, seen))
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
) -> tuple[Record | None, dict[tuple[str, str], Mismatch]]:
    """Grade everything that is started and record it as `kata check` does; None if nothing is started."""
    from grader.practice.checking import graded, note_record, started, submission_of

    begun = started(workspace, workspace.course.exercises)
    if not begun:
        return None, {}
    level = level_called(isolation, chosen_aloud=False)
    mine = submission_of(workspace, {each.id: workspace.file_of(each) for each in begun})
    judge = judge_for(workspace.course, level, seed_or_fresh(seed, workspace.course), [each.id for each in begun])
    with closing(judge), progress("Checking", len(begun)) as advance:
        record, mismatches = graded(judge, mine, advance)
    with damage_told():
        note_record(workspace, mine, record)
    return record, mismatches
