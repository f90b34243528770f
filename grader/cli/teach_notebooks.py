"""`kata notebooks`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import TEACH, app
from .terms import CourseFile, course_at, instructors_extra


@app.command(rich_help_panel=TEACH)
def notebooks(
    folder: Annotated[Path, typer.Argument(help="The course folder for nbgrader.", metavar="DIR")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that were changed since.")] = False,
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
    """Write a course folder for nbgrader: its settings, and a source notebook for each unit."""
    with instructors_extra():
        from grader.notebooks.course_folder import write_folder

    chosen = course_at(course)
    for path in write_folder(chosen, folder, overwrite=force, wheel=wheel):
        print(path)
    first = chosen.units[0].folder
    print(f"Next, in {folder}: nbgrader generate_assignment {first}")
