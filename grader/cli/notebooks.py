"""`kata notebooks`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import app
from .endings import UsageError
from .terms import CourseFile, course_at


@app.command()
def notebooks(
    folder: Annotated[Path, typer.Argument(help="The course folder for nbgrader.", metavar="DIR")],
    force: Annotated[bool, typer.Option("--force", help="Write over files that were changed since.")] = False,
    course: CourseFile = None,
) -> None:
    """Write a course folder for nbgrader: its settings, and a source notebook for each unit."""
    try:
        from grader.notebooks.folder import FolderError, write_folder
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{error.name} is not installed; notebooks need the instructor's extra: "
            "pip install 'attention-kata[instructor]' (Python 3.11 or newer)."
        ) from None
    from grader.stubs import StubError

    chosen = course_at(course, folder)
    try:
        for path in write_folder(chosen, folder, overwrite=force):
            print(path)
    except (FolderError, StubError) as error:
        raise UsageError(str(error)) from None
    first = chosen.units[0].folder
    print(f"Next, in {folder}: nbgrader generate_assignment {first}")
