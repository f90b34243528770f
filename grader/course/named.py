"""Chooses the course: the one the program was installed with, or one that the user named. It never searches for one.

A course is a program: its checks run in the judge. So a course.yml or a `.kata` folder met on the way is data: it
decides nothing, but where the user may have meant it, a message says how to name it.
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
    """The installed course.yml: in a wheel's bundle, or in the clone that contains the package; None without one.

    Folders further up are not searched: their content is not part of the installation.
    """
    carried = _PACKAGE / FOLDER
    file = (carried if carried.is_dir() else _PACKAGE.parent) / FILE_NAME
    return file if file.is_file() else None


def is_installed(path: Path) -> bool:
    """Whether a path is part of the installed program, where a workspace does not belong."""
    return path.resolve().is_relative_to(_PACKAGE)


MARKERS = (FILE_NAME, ".kata/workspace.json")
"""Files that mark the folder of a course or of a workspace."""


@dataclass(frozen=True)
class Named:
    """A folder that the user works in, and the course.yml that is used there."""

    root: Path
    course: Path


class Unnamed(CourseError):
    """There is a course or workspace here that the user has not named."""


def named_around(start: Path) -> Named | None:
    """The nearest named folder: a registered one, or the clone that the program was installed from.

    Raises CourseError when the registration is no longer valid.
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


def unnamed_around(start: Path, *, any_owner: bool = False) -> Path | None:
    """The nearest course or workspace around `start`, if it is the user's and was not named.

    any_owner: also if it belongs to another user.
    """
    named = named_around(start)
    for folder in map(Path, folders_around(start)):
        if named is not None and folder == named.root:
            return None
        if any((folder / marker).is_file() and (any_owner or is_users_own(folder / marker)) for marker in MARKERS):
            return folder
    return None


def refuse_unnamed(start: Path, *, any_owner: bool = False) -> None:
    """Raise Unnamed when the nearest course or workspace around `start` was not named."""
    if folder := unnamed_around(start, any_owner=any_owner):
        raise Unnamed(how_to_name(folder))


def how_to_name(folder: Path) -> str:
    """What to do about a course or a workspace that the user has not named."""
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
    """The error for a program installed without a course."""
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
