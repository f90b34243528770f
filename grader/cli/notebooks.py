"""`kata notebooks` and `kata hand-in`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from .app import TEACH, app
from .endings import EXIT_BAD_INPUT, UsageError, stop
from .terms import CourseFile, course_at

if TYPE_CHECKING:
    from grader.classroom import Entry
    from grader.course import Course


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
    with _extra():
        from grader.notebooks.folder import FolderError, write_folder
    from grader.course.stubs import StubError

    chosen = course_at(course, about_course=True)
    try:
        for path in write_folder(chosen, folder, overwrite=force, wheel=wheel):
            print(path)
    except (FolderError, StubError) as error:
        raise UsageError(str(error)) from None
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
    with _extra():
        from grader.notebooks import hand_in as handing_in
        from grader.notebooks.folder import CourseFolder, FolderError
    from grader.intake.names import printable

    try:
        folder = CourseFolder(to)
        chosen = course_at(course or folder.course_file)
        releases = handing_in.releases_in(folder, chosen, unit or ())
    except FolderError as error:
        raise UsageError(str(error)) from None
    written: set[str] = set()
    replaced = refused = False
    with _handed_in(submissions, whole_class, learner, chosen) as (entries, disputes):
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


@contextmanager
def _handed_in(
    submissions: list[Path], whole_class: bool, learner: str | None, course: Course
) -> Iterator[tuple[list[Entry], tuple[str, ...]]]:
    """The submissions by learner, usable inside the context; and sentences about those without a learner."""
    from grader.classroom.class_folder import ReadingOptions, class_in
    from grader.classroom.lms_names import NamesError
    from grader.classroom.members import last_attempts

    if not whole_class:
        yield _named(submissions, learner, course), ()
        return
    if len(submissions) > 1 or learner is not None:
        raise UsageError("With --class there is one folder, and its submissions name their learners.")
    with TemporaryDirectory() as room:
        try:
            with class_in(submissions[0], Path(room), course, ReadingOptions()) as everyone:
                yield last_attempts(everyone).entries, everyone.disputes
        except NamesError as error:
            raise UsageError(str(error)) from None


def _named(submissions: list[Path], learner: str | None, course: Course) -> list[Entry]:
    """The submissions by learner. Raises UsageError for an invalid learner's name."""
    from grader.classroom import Entry, entries
    from grader.intake.names import ExerciseNames

    # absolute, so that `.` has a name too; no link is followed
    paths = [Path(os.path.abspath(path)) for path in submissions]
    if learner is not None:
        if len(paths) > 1:
            raise UsageError("--learner names one learner, so it goes with one submission.")
        return [Entry(learner, paths[0])]
    names, units = ExerciseNames(course), {unit.folder for unit in course.units}
    for path in paths:
        if names.by_loose_file(path.name) or path.name.removesuffix(".ipynb") in units:
            raise UsageError(
                f"{path.name} is named after the work, not after a learner; say whose it is with --learner."
            )
    # each separately: equal names would be numbered as two learners
    return [entry for path in paths for entry in entries([path])]


@contextmanager
def _extra() -> Iterator[None]:
    """Print a sentence if the packages for notebooks are not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{error.name} is not installed; notebooks need the instructor's extra: "
            "`make instructor` in a copy of the course, or pip install '.[instructor]' there (Python 3.11 or newer)."
        ) from None
