"""`kata policy`, and the options by which grading commands apply the course's policy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .app import TEACH, app
from .class_grading import show_class
from .endings import UsageError
from .expected import demand_results
from .terms import (
    CourseFile,
    Exempt,
    Extensions,
    HandedIn,
    Hints,
    PseudonymsToo,
    Raw,
    course_at,
    final_records,
    times_given,
)

if TYPE_CHECKING:
    from grader.classroom.run_header import RunHeader
    from grader.course import Course


@app.command(rich_help_panel=TEACH)
def policy(
    out: Annotated[Path, typer.Argument(help="The results folder of `kata grade-class`.", metavar="OUT")],
    handed_in: HandedIn = None,
    extensions: Extensions = None,
    hints: Hints = None,
    exempt: Exempt = None,
    raw: Raw = False,
    html: Annotated[bool, typer.Option("--html", help="Write the class page and each learner's page anew.")] = False,
    pseudonyms: PseudonymsToo = False,
    course: CourseFile = None,
) -> None:
    """Apply the course's policy (due dates, hints, extra credit, attempts) to a graded class anew, without grading."""
    from grader.classroom.attempts import folder_for_run, graded_in
    from grader.classroom.kept_times import read_kept_times, write_kept_times
    from grader.classroom.ledger import Ledger
    from grader.classroom.results_file import read_results
    from grader.classroom.run_header import read_run
    from grader.render.safe_text import visible

    demand_results(out, "kata policy {}")
    chosen = course_at(course)
    attempts = graded_in(out) != out
    given = times_given(handed_in, extensions, hints, exempt, raw, chosen, attempts=attempts)
    with folder_for_run(out, attempts=attempts) as graded:
        _refuse_another_course(read_run(graded), chosen, out)
        Ledger(graded).finish([learner.name for learner in read_results(graded).learners])
        times = given.over(read_kept_times(graded))
        write_kept_times(graded, times)
        for remark in final_records(out, chosen, times, raw=raw):
            print(visible(remark), file=sys.stderr)
        show_class(read_results(out), chosen, out, html, by_pseudonyms=pseudonyms)


def _refuse_another_course(header: RunHeader | None, course: Course, out: Path) -> None:
    if header is not None and header.course_title != course.title:
        raise UsageError(
            f"{out} was graded for the course {header.course_title}, and this is {course.title}: "
            "--course says where the right one is."
        )
