"""Says which course is used: the one that was named with --course or KATA_COURSE, else the installed one.

A course is a program: its checks run in the judge. So nothing in the working folder, a workspace or a hand-in decides;
a course.yml that lies there is data.
"""

from __future__ import annotations

import os
from pathlib import Path

import grader
from grader.errors import KataError
from grader.sandbox.levels import GRADING_LEVELS, Level, exposed

from .course_error import CourseError
from .loading import FILE_NAME
from .unpacking import SUFFIX, is_unpacked, unpacked

CARRIED = "carried_course"
"""Where a wheel holds its course, within this package: packed with its answers, or as it is without them."""
VARIABLE = "KATA_COURSE"
"""The environment variable with which authors name a course."""

_PACKAGE = Path(grader.__file__).resolve().parent


def course_file(named: Path | None = None) -> Path:
    """The course.yml to use: of the folder or file `named`, else that in KATA_COURSE, else the installed one.

    Raises CourseError when there is none.
    """
    named = named or _in_environment()
    if named is None:
        return _installed()
    file = named / FILE_NAME if named.is_dir() else named
    if not file.exists():
        fault = f"holds no {FILE_NAME}" if named.is_dir() else "does not exist"
        example = "PATH" if (installed := installed_course()) is None else installed.parent
        raise CourseError(f"{named} {fault}. Expected is the folder of a course, such as: --course {example}")
    return file


def installed_course() -> Path | None:
    """The installed course.yml: of a wheel's course, or in the clone that contains the package; None without one.

    Folders further up are not searched: their content is not part of the installation.
    Raises CourseError when a wheel's course cannot be unpacked.
    """
    carried = _PACKAGE / CARRIED
    folder = carried if carried.is_dir() else _PACKAGE.parent
    if sealed := sealed_course():
        folder = unpacked(sealed)
    file = folder / FILE_NAME
    return file if file.is_file() else None


def sealed_course() -> Path | None:
    """The packed course of a wheel with answers, which everybody can read who can read the program; else None."""
    return next((_PACKAGE / CARRIED).glob(f"*{SUFFIX}"), None)


def is_wheels(root: Path) -> bool:
    """Whether a course's folder is that of a wheel, where nobody works."""
    return root.resolve().is_relative_to(_PACKAGE) or is_unpacked(root.resolve())


def refuse_exposed(level: Level, *places: Path) -> None:
    """Raise KataError for the first of these paths that the sandbox shows to learners' code, at a level for grading.

    The course of a wheel with answers is shown whatever course grades: it lies beside the program.
    """
    if level not in GRADING_LEVELS:
        return
    if sealed_course():
        raise KataError(
            "This program was installed from a wheel with answers, which learners' code could read: "
            "grade with a clone of the course. No grade was recorded."
        )
    for place in places:
        if shown := exposed(place):
            raise KataError(
                f"Learners' code can read {shown}, and so {place} in it: move it elsewhere. No grade was recorded."
            )


def _in_environment() -> Path | None:
    """The course named by KATA_COURSE, if it is set.

    Raises CourseError for a relative path, which would mean another course in every folder.
    """
    path = os.environ.get(VARIABLE)
    if path and not os.path.isabs(path):
        raise CourseError(f"{VARIABLE} must be a whole path, such as {os.path.abspath(path)}, not {path}.")
    return Path(path) if path else None


def _installed() -> Path:
    if (file := installed_course()) is None:
        raise CourseError(
            f"This program was installed without a course: name one with --course PATH, or in {VARIABLE}. "
            f"PATH is the folder with {FILE_NAME}."
        )
    return file
