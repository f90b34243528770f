"""Marks and feedback of a graded class for other programs and for learners: `kata export`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from grader.errors import KataError

from .app import TEACH, app, say
from .named_paths import demand_results
from .terms import CourseFile, Units, course_at, course_of_class, instructors_extra, tell_units, units_called

if TYPE_CHECKING:
    from grader.formats.results_table import ResultsTable

GRADEBOOK = "gradebook"
"""The format that is nbgrader's database and no file."""
ONE_COLUMN = ("canvas", "moodle")
"""Formats that can have their marks in one column, which is called like an assignment."""
RESULTS = "Results of `kata grade-class`, or a file of `kata grade --json`."
NAMES = "csv, jsonl, canvas, moodle, moodle-feedback, junit, pages, gradescope, github or gradebook."
PLACE = "Where to write; beside the results by default, - for standard output."
ROWS = "Rows (csv) or columns (canvas, moodle) by learner, unit or exercise."
COLUMN = "What the assignment is called in Canvas or Moodle, such as 'Week 1 (88)'."
Force = Annotated[bool, Option("--force", help="Overwrite what is there.")]


@app.command(rich_help_panel=TEACH)
def export(
    out: Annotated[Path, Argument(help=RESULTS, metavar="OUT")],
    format: Annotated[str, Option(help=NAMES, metavar="FORMAT")],
    to: Annotated[Path | None, Option(help=PLACE)] = None,
    by: Annotated[str, Option(help=ROWS, metavar="WHAT")] = "learner",
    unit: Units = None,
    column: Annotated[str, Option(help=COLUMN)] = "",
    force: Force = False,
    course: CourseFile = None,
) -> None:
    """Write a graded class for other programs and for learners: spreadsheets, gradebooks, CI, pages, feedback."""
    from grader.formats.export import FORMATS, warnings, write_export
    from grader.formats.results_table import BY, ExportOptions, results_table

    if format not in (*FORMATS, GRADEBOOK):
        raise KataError(f"There is no format {format!r}: take {', '.join(FORMATS)} or {GRADEBOOK}.")
    if by not in BY:
        raise KataError(f"There is nothing called {by!r} to export by: take {', '.join(BY)}.")
    if column and (format not in ONE_COLUMN or by != "learner"):
        raise KataError(f"--column names one column of a gradebook: --format {' or '.join(ONE_COLUMN)}, without --by.")
    if not out.is_file():
        demand_results(out, f"kata export {{}} --format {format}")
    chosen = course_at(course) if out.is_file() else course_of_class(out, course)
    units = units_called(chosen, unit)
    tell_units(chosen, units)
    with results_table(out, ExportOptions(chosen, by, units, column.strip(), say)) as table:
        if format == GRADEBOOK:
            print(_fill_gradebook(table, to, force))
        elif written := write_export(table, format, to, force=force):
            print(written)
        for sentence in warnings(table):
            say(sentence)


def _fill_gradebook(table: ResultsTable, to: Path | None, force: bool) -> str:
    if to is None:
        raise KataError("Say which gradebook: --to DIR, the course folder that `kata notebooks` made.")
    with instructors_extra():
        from grader.notebooks.gradebook import gradebook_at, write_gradebook
    return write_gradebook(table, gradebook_at(to), force=force)
