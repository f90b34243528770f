"""Which course is used: the one the program was installed with, or one that the user named. None is ever found.

A course is a program: its checks run in the judge. So a course.yml, or a `.kata` folder, that is met on the way is
data: it decides nothing, and where somebody may have meant it, they are told how to name it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import grader
from grader.registry import RegistryError, folders_around, is_users_own, owner_of, registered_around

from .errors import CourseError
from .loading import FILE_NAME

FOLDER = "carried_course"
"""Where a wheel holds the learner's bundle, within this package. `setup.py` puts it there under the same name."""

_PACKAGE = Path(grader.__file__).resolve().parent


def installed_course() -> Path | None:
    """Its course.yml: that of a wheel's bundle, or of the clone that the package lies in; None where it has none.

    Nothing further up is looked at: whatever is there came from somewhere else.
    """
    carried = _PACKAGE / FOLDER
    file = (carried if carried.is_dir() else _PACKAGE.parent) / FILE_NAME
    return file if file.is_file() else None


def is_installed(path: Path) -> bool:
    """Whether a place is part of the installed program, where nobody should work."""
    return path.resolve().is_relative_to(_PACKAGE)


MARKERS = (FILE_NAME, ".kata/workspace.json")
"""What the folder of a course, or a workspace, holds."""


@dataclass(frozen=True)
class Named:
    """A folder that the user works in, and the course.yml that is used there."""

    root: Path
    course: Path


class Unnamed(CourseError):
    """There is a course here that nobody named."""


def named_around(start: Path) -> Named | None:
    """The nearest named folder: a registered one, or the clone that the program was installed from.

    Raises CourseError when the registration is of no use any more.
    """
    try:
        registered = registered_around(start)
    except RegistryError as error:
        raise CourseError(str(error)) from None
    installed = installed_course()
    clone = str(installed.parent) if installed else None
    for folder in folders_around(start):
        if registered is not None and folder == str(registered.root):
            _demand_unchanged(registered.root, registered.course, registered.owner)
            return Named(registered.root, registered.course)
        if installed is not None and folder == clone:
            return Named(installed.parent, installed)
    return None


def unnamed_around(start: Path, *, whoever: bool = False) -> Path | None:
    """The nearest course or workspace around, if it is the user's and was not named.

    whoever: also if it is somebody else's.
    """
    named = named_around(start)
    for folder in map(Path, folders_around(start)):
        if named is not None and folder == named.root:
            return None
        if any((folder / marker).is_file() and (whoever or is_users_own(folder / marker)) for marker in MARKERS):
            return folder
    return None


def refuse_unnamed(start: Path, *, whoever: bool = False) -> None:
    """Raise Unnamed when the nearest course or workspace around is one that was not named."""
    if folder := unnamed_around(start, whoever=whoever):
        raise Unnamed(how_to_name(folder))


def how_to_name(folder: Path) -> str:
    """What to do where there is a course or a workspace that nobody named."""
    if (folder / FILE_NAME).is_file():
        return (
            f"{folder} holds a course that you have not named, and a course is a program: nothing of it is used. "
            f"If you trust it, type once: kata init DIR --course {folder} (DIR is your own folder to work in, "
            "or that one itself); or add --course to a single command."
        )
    return (
        f"{folder} is no workspace of yours (yet): only those that you made are used. "
        f"If it is your own work, type once: kata init {folder} (with --course PATH, if it is not of the course that "
        "this program was installed with)."
    )


def no_course() -> CourseError:
    """There is none at all."""
    return CourseError(
        "This program was installed without a course: name one with --course PATH, or once and for all with "
        "`kata init DIR --course PATH`; PATH is the folder with course.yml, DIR your own folder to work in."
    )


def _demand_unchanged(root: Path, course: Path, owner: int) -> None:
    again = f"kata init {root} --course PATH"
    if not is_users_own(root):
        raise CourseError(f"{root} belongs to another user now, so it is no workspace of yours.")
    if not course.is_file():
        raise CourseError(f"the course of this workspace is not at {course} any more: name it anew with `{again}`")
    if owner_of(course) != owner:
        raise CourseError(f"{course} has another owner than when you named it; if that is right: {again}")
