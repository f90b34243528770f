"""Identifies what a warm judge is for: the present state of course and program, this machine, one isolation level.

Any change of program or course leads to another judge. Changes are detected by names, sizes and times, without reading
files, which takes milliseconds.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import grader
from grader.sandbox.levels import Level

PROGRAM = Path(grader.__file__).resolve().parent
READ_OF_COURSE = ("course.yml", "solutions", "tests/checks", "tests/mistakes", "given", "plans", "sealed")
"""What a judge reads from a course. Files that learners edit are not part of it."""
SKIPPED = ("__pycache__", "carried_course")


def program_stamp() -> str:
    """Digest of all modules of this program and of the installed PyTorch."""
    torch = find_spec("torch")
    of_torch = [Path(torch.origin).with_name("version.py")] if torch is not None and torch.origin else []
    return _digest([PROGRAM, *of_torch], ".py")


def course_stamp(root: Path) -> str:
    """Digest of course.yml and of the files that the judge reads."""
    return _digest([root / each for each in READ_OF_COURSE])


class Imported:
    """The course's own modules that checks import from elsewhere in the course, as each was when first seen."""

    def __init__(self, root: Path) -> None:
        self._root = os.path.join(root, "")
        self._seen: dict[str, str] = {}

    def has_changed(self) -> bool:
        """Whether any of them has changed. Packages installed below the course, in a `.venv`, do not count."""
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
    """One line for each file at or below a place."""
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
    except OSError:  # deleted meanwhile, or a dangling link: editors leave such things beside the files they edit
        return f"{path}\0\n"
    # ctime too, which cannot be set back
    times = f"{found.st_mtime_ns}\0{found.st_ctime_ns}"
    return f"{path}\0{found.st_size}\0{times}\0{found.st_ino}\n"


SETTINGS = ("OMP_", "MKL_", "ATEN_", "TORCH_", "KATA_", "PYTHON")
"""Prefixes of the environment variables that may affect a judge's work."""
MORE_SETTINGS = ("HOME", "TMPDIR", "TMP", "TEMP")


@dataclass(frozen=True)
class Purpose:
    """A judge's command-line arguments. `stamp` is of program and course; a private judge ends with its only caller."""

    folder: Path
    """Where it is registered."""
    course: Path
    level: Level
    stamp: str
    is_private: bool = False

    @classmethod
    def now(cls, folder: Path, course: Path, level: Level, *, is_private: bool = False) -> Purpose:
        """For the present state of a course.yml."""
        return cls(folder, course, level, _stamp(course), is_private)

    @property
    def name(self) -> str:
        """The name to register under: the same for callers with the same purpose and environment."""
        names = sorted(each for each in os.environ if each.startswith(SETTINGS) or each in MORE_SETTINGS)
        settings = [[each, os.environ[each]] for each in names]
        machine = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
        wall = shutil.which("bwrap")
        parts = [str(self.course), self.level, self.stamp, settings, machine, wall, sys.executable, sys.version]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]

    def is_stale(self) -> bool:
        """Whether program or course have changed since."""
        return _stamp(self.course) != self.stamp

    def to_arguments(self) -> list[str]:
        """Encode as command-line arguments."""
        return [str(self.folder), str(self.course), self.level, self.stamp, "private" if self.is_private else "shared"]

    @classmethod
    def read(cls, arguments: list[str]) -> Purpose:
        """Decode the command-line arguments."""
        folder, course, level, stamp, kind = arguments
        return cls(Path(folder), Path(course), cast(Level, level), stamp, kind == "private")


def _stamp(course: Path) -> str:
    return program_stamp()[:32] + course_stamp(course.parent)[:32]
