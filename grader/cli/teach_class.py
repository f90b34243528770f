"""A graded class: `kata explain`, `diff`, `override`, `forget` and `export`; by default with its last run's course."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from grader.errors import KataError

from .app import TEACH, app, say
from .named_paths import demand_results
from .terms import (
    ID_HELP,
    CourseFile,
    Units,
    course_at,
    course_of_class,
    instructors_extra,
    tell_units,
    units_called,
)

if TYPE_CHECKING:
    from grader.formats.results_table import ResultsTable

EARLIER = "Another such folder; without it the last run is compared with the one before."
COUNTED = "The points that count; back takes an earlier override back."
REASON = "Why, in a sentence: the learner reads it too."
Out = Annotated[Path, Argument(help="The results folder of `kata grade-class`.", metavar="OUT")]
LearnerName = Annotated[str, Argument(help="The learner's id, login, email or name.", metavar="LEARNER")]
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
def explain(
    out: Out,
    learner: LearnerName,
    exercises: Annotated[
        list[str] | None, Argument(help="Only these exercises; all with lost points by default.", metavar="[ID ...]")
    ] = None,
    course: CourseFile = None,
) -> None:
    """Show where a learner lost points, and why: the checks run again with the same inputs. Not for learners."""
    from grader.classroom.explain import explain as explained
    from grader.course.installed import refuse_exposed
    from grader.render.safe_text import encodable

    demand_results(out, "kata explain {} LEARNER")
    chosen = course_of_class(out, course)
    refuse_exposed("full", chosen.root)
    for line in explained(out, learner, exercises or (), chosen):
        print(encodable(line, sys.stdout.encoding or "utf-8"))


@app.command("diff", rich_help_panel=TEACH)
def diff(
    out: Out,
    other: Annotated[Path | None, Argument(help=EARLIER, metavar="[OTHER]")] = None,
    course: CourseFile = None,
) -> None:
    """Compare two gradings of a class: whose points differ, and why; nothing is graded."""
    from grader.classroom.diff import compared

    demand_results(out, "kata diff {}")
    if other:
        demand_results(other, f"kata diff {out} {{}}")
    for line in compared(out, other, course_of_class(other or out, course)):
        print(line)


@app.command(rich_help_panel=TEACH)
def override(
    out: Out,
    learner: LearnerName,
    exercise: Annotated[str, Argument(help=ID_HELP, metavar="EXERCISE")],
    points: Annotated[str, Argument(help=COUNTED, metavar="POINTS")],
    reason: Annotated[str, Option(help=REASON, metavar="TEXT")],
    course: CourseFile = None,
) -> None:
    """Set a learner's points for an exercise by hand: recorded with the reason, and kept when a run goes on."""
    from grader.classroom.corrections import override_points
    from grader.render.safe_text import safe_line
    from grader.render.wording import score

    demand_results(out, "kata override {} LEARNER EXERCISE POINTS --reason TEXT")
    done = override_points(out, learner, exercise, points, reason, course_of_class(out, course))
    for remark in done.remarks:
        say(remark)
    print(f"{safe_line(done.learner)}, {done.exercise}: {score(done.before)} -> {score(done.after)} points.")


@app.command(rich_help_panel=TEACH)
def forget(out: Out, learner: LearnerName, course: CourseFile = None) -> None:
    """Remove one learner from a graded class: records, sources, pages."""
    from grader.classroom.corrections import forget_learner
    from grader.render.safe_text import visible

    demand_results(out, "kata forget {} LEARNER")
    for line in forget_learner(out, learner, course_of_class(out, course)):
        print(visible(line))


# --- export -----------------------------------------------------------------------------------------------------------


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
