"""Says which course is used: the one that was named with --course or KATA_COURSE, else the installed one.

A course is a program: its checks run in the judge. So nothing in the working folder, a workspace or a hand-in decides;
a course.yml that lies there is data.

In a wheel with answers the course is packed, so that nobody reads an answer by accident; that keeps nothing secret. It
is unpacked into the user's cache folder, and from then on it is an ordinary course.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
from pathlib import Path

import grader
from grader.errors import KataError
from grader.files import cache_folder, lock_at, zip_of
from grader.sandbox.levels import GRADING_LEVELS, Level, exposed

from .loading import FILE_NAME
from .model import CourseError

CARRIED = "carried_course"
"""Where a wheel holds its course, within this package: packed with its answers, or as it is without them."""
VARIABLE = "KATA_COURSE"
"""The environment variable with which authors name a course."""

_PACKAGE = Path(grader.__file__).resolve().parent

COURSES = "courses"
"""The cache folder of unpacked courses."""
SUFFIX = ".sealed"


def course_file(named: Path | None = None) -> Path:
    """The course.yml to use: of the folder or file `named`, else that in KATA_COURSE, else the installed one.

    Raises CourseError when there is none, or for a relative path in KATA_COURSE, another course in every folder.
    """
    if named is None and (variable := os.environ.get(VARIABLE)):
        if not os.path.isabs(variable):
            raise CourseError(f"{VARIABLE} must be a whole path, such as {os.path.abspath(variable)}, not {variable}.")
        named = Path(variable)
    if named is None:
        if installed := installed_course():
            return installed
        raise CourseError(
            f"This program was installed without a course: name one with --course PATH, or in {VARIABLE}. "
            f"PATH is the folder with {FILE_NAME}."
        )
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
    if sealed := sealed_course():
        return unpacked(sealed) / FILE_NAME
    carried = _PACKAGE / CARRIED
    file = (carried if carried.is_dir() else _PACKAGE.parent) / FILE_NAME
    return file if file.is_file() else None


def sealed_course() -> Path | None:
    """The packed course of a wheel with answers, which everybody can read who can read the program; else None."""
    return next((_PACKAGE / CARRIED).glob(f"*{SUFFIX}"), None)


def is_wheels(root: Path) -> bool:
    """Whether a course's folder is that of a wheel: nobody works there, for it is made anew when it changes."""
    sealed = sealed_course()
    return root.resolve().is_relative_to(_PACKAGE) or bool(sealed and root.name == sealed.stem)


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


def packed(files: dict[str, bytes]) -> tuple[str, bytes]:
    """A course as one file: its name, which is a digest of its content, and its content."""
    content = zip_of(sorted(files.items()))
    return f"{hashlib.sha256(content).hexdigest()[:32]}{SUFFIX}", content


def unpacked(file: Path) -> Path:
    """The folder of a packed course, made now if it is not there whole: what cleans caches takes files away.

    Raises CourseError when the file is damaged or cannot be unpacked.
    """
    folder = cache_folder(COURSES) / file.stem
    try:
        with lock_at(folder.parent / ".lock"), zipfile.ZipFile(file) as archive:
            sizes = {folder / member.filename: member.file_size for member in archive.infolist()}
            if not all(path.is_file() and path.stat().st_size == size for path, size in sizes.items()):
                _unpack(archive, folder)
    except (OSError, zipfile.BadZipFile) as error:
        raise CourseError(f"The course cannot be unpacked into {folder}: {error}. Install the wheel again.") from None
    return folder


def _unpack(archive: zipfile.ZipFile, folder: Path) -> None:
    """Unpack beside the place, then move it there whole. Raises OSError, BadZipFile."""
    with tempfile.TemporaryDirectory(prefix=".unfinished-", dir=folder.parent) as place:
        archive.extractall(Path(place, "course"))
        if folder.exists():
            folder.rename(Path(place, "old"))
        Path(place, "course").rename(folder)
