"""`kata notebooks` and `kata hand-in`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .app import TEACH, app
from .endings import EXIT_BAD_INPUT, stop
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


@app.command("hand-in", rich_help_panel=TEACH)
def hand_in(
    submissions: Annotated[
        list[Path], typer.Argument(help="Folders, zips, notebooks or files, one a learner.", metavar="SUBMISSION...")
    ],
    to: Annotated[Path, typer.Option("--to", help="The course folder for nbgrader.", metavar="DIR")],
    whole_class: Annotated[
        bool, typer.Option("--class", help="SUBMISSION is a folder with one submission a learner.")
    ] = False,
    learner: Annotated[
        str | None, typer.Option("--learner", help="The learner; by default the submission's name.", metavar="NAME")
    ] = None,
    unit: Annotated[
        list[str] | None,
        typer.Option("--unit", help="Only for this unit; may be given again.", metavar="FOLDER"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite other notebooks of these learners.")] = False,
    course: CourseFile = None,
) -> None:
    """Hand in files as notebooks: the answers go into the released notebooks, for `nbgrader autograde`."""
    with instructors_extra():
        from grader.notebooks import hand_in as handing_in
        from grader.notebooks.course_folder import CourseFolder
        from grader.notebooks.whose_hand_in import entries_of
    from grader.intake.names import printable

    folder = CourseFolder(to)
    chosen = course_at(course or folder.course_file)
    releases = handing_in.releases_in(folder, chosen, unit or ())
    written: set[str] = set()
    replaced = refused = False
    with entries_of(submissions, chosen, learner, is_class=whole_class) as (entries, disputes):
        for sentence in disputes:
            print(printable(sentence), file=sys.stderr)
            refused = True
        for done in handing_in.hand_in(
            entries, folder, chosen, releases, even_unrecognised=bool(unit), overwrite=force
        ):
            for path in (*done.written, *done.unchanged):
                print(path)
                written.add(path.stem)
            for sentence in (*done.notes, *done.refusals):
                print(f"{printable(done.learner)}: {sentence}", file=sys.stderr)
            replaced, refused = replaced or bool(done.replaced), refused or bool(done.refusals)
    for name in sorted(written):
        print(f"Next, in {to}: nbgrader autograde {name}{' --force' if replaced else ''}")
    if refused:
        stop("Not everything was handed in.", EXIT_BAD_INPUT)
