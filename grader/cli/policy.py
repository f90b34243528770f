"""`kata policy`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import TEACH, app
from .class_grading import show_class
from .expected import demand_results
from .terms import CourseFile, Exempt, Extensions, HandedIn, Raw, course_at, say


@app.command(rich_help_panel=TEACH)
def policy(
    out: Annotated[Path, typer.Argument(help="The results folder of `kata grade-class`.", metavar="OUT")],
    handed_in: HandedIn = None,
    extensions: Extensions = None,
    exempt: Exempt = None,
    raw: Raw = False,
    html: Annotated[bool, typer.Option("--html", help="Write the class page and each learner's page anew.")] = False,
    course: CourseFile = None,
) -> None:
    """Apply the course's policy (due dates, extra credit) to a graded class anew, without grading."""
    from grader.classroom.final_points import reapply_policy
    from grader.classroom.kept_times import PolicyTables

    demand_results(out, "kata policy {}")
    tables = PolicyTables(handed_in, extensions, exempt, raw)
    summary, remarks = reapply_policy(out, course_at(course), tables, pages=html)
    for remark in remarks:
        say(remark)
    show_class(summary, out, html=html)
