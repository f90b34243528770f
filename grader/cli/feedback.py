"""`kata feedback`: every learner's page in one zip, and Moodle's grading worksheet with grades and comments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import TEACH, app
from .endings import EXIT_BAD_INPUT, stop
from .expected import demand_results
from .exporting import Force
from .terms import CourseFile, Units, course_at, say, tell_units, units_called


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
    from grader.formats.feedback import FeedbackOptions, write_feedback

    demand_results(out, "kata feedback {}")
    chosen = course_at(course)
    units = units_called(chosen, unit)
    tell_units(chosen, units)
    written, torn = write_feedback(out, chosen, FeedbackOptions(worksheet, units, to, force), say)
    for path in written:
        print(path)
    if torn:
        stop(torn, EXIT_BAD_INPUT)
