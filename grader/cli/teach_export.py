"""Marks and feedback of a graded class for other programs and for learners: `kata export` and `kata feedback`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .app import TEACH, app
from .endings import EXIT_BAD_INPUT, UsageError, stop
from .named_paths import demand_results
from .terms import CourseFile, Units, course_at, instructors_extra, say, tell_units, units_called

if TYPE_CHECKING:
    from grader.course import Course
    from grader.formats.results_table import ResultsTable

GRADEBOOK = "gradebook"
"""The format that is nbgrader's database and no file."""

Force = Annotated[bool, typer.Option("--force", help="Overwrite what is there.")]


@app.command(rich_help_panel=TEACH)
def export(
    out: Annotated[
        Path,
        typer.Argument(help="Results of `kata grade-class`, or a file of `kata grade --json`.", metavar="OUT"),
    ],
    format: Annotated[
        str,
        typer.Option(
            "--format",
            help="csv, canvas, moodle, junit, gradescope, github, or gradebook for nbgrader's.",
            metavar="FORMAT",
        ),
    ],
    to: Annotated[
        Path | None,
        typer.Option("--to", help="Where to write; beside the results by default, - for standard output."),
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            "--by", help="Rows (csv) or columns (canvas, moodle) by learner, unit or exercise.", metavar="WHAT"
        ),
    ] = "learner",
    roster: Annotated[
        Path | None, typer.Option("--roster", help="A CSV with names and ids, such as Canvas or Moodle export it.")
    ] = None,
    bom: Annotated[
        bool,
        typer.Option("--bom/--no-bom", help="Begin a csv with a byte order mark, so that Excel reads it as UTF-8."),
    ] = True,
    unit: Units = None,
    force: Force = False,
    course: CourseFile = None,
) -> None:
    """Write a graded class for other programs: spreadsheets, gradebooks, CI."""
    from grader.formats.export import FORMATS, STANDARD_OUTPUT, torn, warnings, write_export
    from grader.formats.people import read_people
    from grader.formats.results_table import BY, ExportOptions, ResultsTable

    if format not in (*FORMATS, GRADEBOOK):
        raise UsageError(f"There is no format {format!r}: take {', '.join(FORMATS)} or {GRADEBOOK}.")
    if by not in BY:
        raise UsageError(f"There is nothing called {by!r} to export by: take {', '.join(BY)}.")
    if not out.is_file():
        demand_results(out, f"kata export {{}} --format {format}")
    chosen = _course(course, is_needed=bool(unit) or by == "unit" or format == GRADEBOOK)
    units = units_called(chosen, unit) if chosen else []
    if chosen:
        tell_units(chosen, units)
    people = read_people(roster) if roster else None
    bom = bom and to != STANDARD_OUTPUT
    table = ResultsTable(out, ExportOptions(by, people, chosen, units, bom, say))
    if format == GRADEBOOK:
        print(_fill_gradebook(table, to, force))
    elif written := write_export(table, format, to, force=force):
        print(written)
    for sentence in warnings(table):
        say(sentence)
    if sentence := torn(table):
        stop(sentence, EXIT_BAD_INPUT)


def _fill_gradebook(table: ResultsTable, to: Path | None, force: bool) -> str:
    if to is None:
        raise UsageError("Say which gradebook: --to DIR, the course folder that `kata notebooks` made.")
    with instructors_extra():
        from grader.notebooks.gradebook import gradebook_at, write_gradebook
    return write_gradebook(table, gradebook_at(to), force=force)


def _course(given: Path | None, *, is_needed: bool) -> Course | None:
    """The course, for titles and units; without one, ids are shown."""
    from grader.course import CourseError

    try:
        return course_at(given)
    except CourseError:
        if is_needed or given is not None:
            raise
        return None


@app.command(rich_help_panel=TEACH)
def feedback(
    out: Annotated[Path, typer.Argument(help="The results folder of `kata grade-class`.", metavar="OUT")],
    worksheet: Annotated[
        Path | None,
        typer.Option(
            "--worksheet",
            help="Moodle's grading worksheet of the assignment: it is filled in, and pages get the names that Moodle "
            "expects.",
            metavar="FILE",
        ),
    ] = None,
    to: Annotated[Path | None, typer.Option("--to", help="The folder to write into; OUT by default.")] = None,
    unit: Units = None,
    force: Force = False,
    course: CourseFile = None,
) -> None:
    """Write feedback for a whole class: a zip of pages, and for Moodle the worksheet with grades and comments."""
    from grader.formats.feedback import write_feedback
    from grader.formats.results_table import ExportOptions

    demand_results(out, "kata feedback {}")
    chosen = course_at(course)
    units = units_called(chosen, unit)
    tell_units(chosen, units)
    written, torn = write_feedback(out, worksheet, to, ExportOptions(course=chosen, units=units, say=say), force=force)
    for path in written:
        print(path)
    if torn:
        stop(torn, EXIT_BAD_INPUT)
