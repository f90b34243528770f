"""What a judge goes by, as it is now: any change of the program or of the course makes another judge of it.

Told from names, sizes and times of change, which is a matter of milliseconds; files are not read.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

import grader

PROGRAM = Path(grader.__file__).resolve().parent
READ_OF_COURSE = ("course.yml", "solutions", "tests/checks", "tests/mistakes", "given", "plans", "sealed")
"""What a judge reads of a course. What learners edit is not among it."""
SKIPPED = ("__pycache__", "carried_course")


def program_stamp() -> str:
    """Of all modules of this program, and of which PyTorch there is."""
    torch = find_spec("torch")
    of_torch = [Path(torch.origin).with_name("version.py")] if torch is not None and torch.origin else []
    return _digest([PROGRAM, *of_torch], ".py")


def course_stamp(root: Path) -> str:
    """Of course.yml and of what the judge reads beside it."""
    return _digest([root / each for each in READ_OF_COURSE])


class Imported:
    """The course's own modules that checks import from elsewhere in it, as each was when it was first seen here."""

    def __init__(self, root: Path) -> None:
        self._root = os.path.join(root, "")
        self._seen: dict[str, str] = {}

    def has_changed(self) -> bool:
        """Whether one of them is another by now. What is installed below the course, in a `.venv`, is none of them."""
        found = (getattr(each, "__file__", None) for each in list(sys.modules.values()))
        own = [file for file in found if isinstance(file, str) and file.startswith(self._root)]
        lines = {file: _line(file) for file in own if not file.startswith(os.path.join(sys.prefix, ""))}
        return any(self._seen.setdefault(file, line) != line for file, line in lines.items())


def _digest(places: Iterable[Path], suffix: str = "") -> str:
    digest = hashlib.sha256()
    for place in places:
        for told in sorted(_told(os.fspath(place), suffix)):
            digest.update(told.encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _told(place: str, suffix: str) -> Iterator[str]:
    """A line for each file at a place or below it."""
    try:
        entries = list(os.scandir(place))
    except NotADirectoryError:
        yield _line(place)
        return
    except OSError:
        return
    for entry in entries:
        if entry.is_dir():
            if entry.name not in SKIPPED:
                yield from _told(entry.path, suffix)
        elif entry.name.endswith(suffix) and not entry.name.endswith(".pyc"):
            yield _line(entry.path)


def _line(path: str) -> str:
    try:
        found = os.stat(path)
    except OSError:  # gone again, or a link to nowhere: editors keep such things beside what they edit
        return f"{path}\0\n"
    # the time of the last change of whatever kind too, which nobody can set back
    times = f"{found.st_mtime_ns}\0{found.st_ctime_ns}"
    return f"{path}\0{found.st_size}\0{times}\0{found.st_ino}\n"
