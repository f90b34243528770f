"""`kata grade`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.service.opening import judge_for

from .app import TEACH, app
from .endings import EXIT_CANNOT_ISOLATE, stop
from .expected import demand_there
from .policy_options import Extensions, HandedIn, Hints, Raw, times_given
from .terms import (
    CourseFile,
    Isolation,
    Only,
    Seed,
    Units,
    chosen_exercises,
    console,
    course_at,
    ending,
    level_called,
    progress,
    refuse_exposed,
    seed_or_fresh,
    titles_of,
    units_of,
)

if TYPE_CHECKING:
    from grader.classroom.kept_times import KeptTimes
    from grader.course import Course
    from grader.results import Record


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
    given = times_given(handed_in, extensions, hints, raw, chosen)
    from grader.submission import read_submission

    submission = read_submission(path, chosen)
    judge = judge_for(chosen, level, seed_or_fresh(seed, chosen), exercises)
    records: list[Record] = []
    with ending(judge.close), progress("Grading", judge.count) as advance:
        judge.grade([submission], records.append, advance)
    graded = _stamped(records[0], chosen)
    record = graded if raw else _final(graded, chosen, given)
    _write_outputs(record, chosen, json, html)
    if json != Path("-"):
        from grader.reports.terminal import print_record

        print_record(record, console(), titles=titles_of(chosen), units=units_of(chosen), verbose=verbose)
    if not record.complete:
        stop(
            "Some exercises could not be graded: that is the grader's fault, not the learner's.",
            EXIT_CANNOT_ISOLATE,
        )


def _stamped(record: Record, course: Course) -> Record:
    """The record with the number of the course's make in it."""
    from grader.classroom.course_digest import course_digest

    return record.model_copy(update={"course": record.course.model_copy(update={"digest": course_digest(course)})})


def _final(record: Record, course: Course, times: KeptTimes) -> Record:
    """The record with the final points of the course's policy; what it would have to know is told on standard error."""
    from grader.classroom.final_points import hand_ins, without_hints
    from grader.classroom.learners import Learner
    from grader.policy.adjusting import adjusted

    # the CSVs may be of the whole class, so who else is in them is no news
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


def page_of(record: Record, course: Course) -> bytes:
    """A record as a page."""
    from grader.reports.html import render_record

    return render_record(record, titles=titles_of(course), units=units_of(course)).encode("utf-8")
