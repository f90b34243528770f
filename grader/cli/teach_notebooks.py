"""`kata notebooks`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from .app import TEACH, app
from .terms import CourseFile, Only, Units, course_at, ids_of, instructors_extra, units_called


@app.command(rich_help_panel=TEACH)
def notebooks(
    folder: Annotated[Path, typer.Argument(help="The course folder for nbgrader.", metavar="DIR")],
    unit: Units = None,
    only: Only = None,
    name: Annotated[
        str, typer.Option("--name", help="One notebook of this name for all that was chosen, such as week1.")
    ] = "",
    reflection: Annotated[
        bool, typer.Option("--reflection", help="Add a question that a person reads and marks, for 2 points.")
    ] = False,
    wheel: Annotated[
        str | None,
        typer.Option(
            "--wheel",
            help="The wheel that learners' notebooks tell to install, as absolute path or URL; kept in DIR's settings.",
            metavar="FILE|URL",
        ),
    ] = None,
    course: CourseFile = None,
) -> None:
    """Write a course folder for nbgrader: its settings, and a source notebook for each unit or week.

    A source notebook that you edited is never overwritten.
    """
    with instructors_extra():
        from grader.notebooks.course_folder import assignments_of, write_folder

    chosen = course_at(course)
    found = assignments_of(chosen, units_called(chosen, unit), ids_of(chosen, only), name)
    for line in write_folder(chosen, folder, [replace(each, has_reflection=reflection) for each in found], wheel=wheel):
        print(line)
    print(f"Next, in {folder}: nbgrader generate_assignment {found[0].name}")
