"""Tells whether program or course have changed: by names, sizes and times of files, which takes milliseconds."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import grader

PROGRAM = Path(grader.__file__).resolve().parent
READ_OF_COURSE = ("course.yml", "solutions", "tests/kits", "plans")
"""What a judge reads from a course. Files that learners edit are not part of it."""
SKIPPED = ("__pycache__", "carried_course")


def course_stamp(course: Path) -> str:
    """Digest of the state of a course.yml, of what belongs to it, of this program and of the installed PyTorch."""
    torch = find_spec("torch")
    program = [PROGRAM, *([Path(torch.origin).with_name("version.py")] if torch and torch.origin else [])]
    places = [*program, *(course.parent / part for part in READ_OF_COURSE)]
    lines = sorted(line for place in places for line in _lines(place))
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def imported_modules(root: Path) -> dict[str, str]:
    """The present state of each file of the course that was imported; not of packages in a `.venv` there."""
    found = (getattr(each, "__file__", None) for each in list(sys.modules.values()))
    own = {file for file in found if isinstance(file, str) and file.startswith(os.path.join(root, ""))}
    return {file: _line(file) for file in own if not file.startswith(os.path.join(sys.prefix, ""))}


def _lines(place: Path) -> Iterator[str]:
    """One line for each file at or below a place."""
    if place.is_file():
        yield _line(os.fspath(place))
    for folder, folders, files in os.walk(place, followlinks=True):
        folders[:] = [name for name in folders if name not in SKIPPED]
        yield from (_line(os.path.join(folder, name)) for name in files)


def _line(path: str) -> str:
    try:
        found = os.stat(path)
    except OSError:  # deleted meanwhile, or a dangling link: editors leave such things beside the files they edit
        return f"{path}\0\n"
    # ctime too, which cannot be set back
    return f"{path}\0{found.st_size}\0{found.st_mtime_ns}\0{found.st_ctime_ns}\0{found.st_ino}\n"
