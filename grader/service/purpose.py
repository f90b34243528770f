"""What a judge is kept warm for: a course and a program as they are now, on this machine, at one level."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from grader.sandbox.levels import Level

from .stamps import course_stamp, program_stamp

SETTINGS = ("OMP_", "MKL_", "ATEN_", "TORCH_", "KATA_", "PYTHON")
"""Settings of the environment that a judge's work may depend on begin like this."""
MORE_SETTINGS = ("HOME", "TMPDIR", "TMP", "TEMP")


@dataclass(frozen=True)
class Purpose:
    """The arguments of a judge's command. `stamp` is of program and course; a private one ends with its only caller."""

    folder: Path
    """Where it makes itself known."""
    course: Path
    level: Level
    stamp: str
    is_private: bool = False

    @classmethod
    def now(cls, folder: Path, course: Path, level: Level, *, is_private: bool = False) -> Purpose:
        """For a course.yml as it is now."""
        return cls(folder, course, level, _stamp(course), is_private)

    @property
    def name(self) -> str:
        """What a judge for this purpose is called, so that it is found by who has the same, in the same environment."""
        names = sorted(each for each in os.environ if each.startswith(SETTINGS) or each in MORE_SETTINGS)
        settings = [[each, os.environ[each]] for each in names]
        machine = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
        wall = shutil.which("bwrap")
        parts = [str(self.course), self.level, self.stamp, settings, machine, wall, sys.executable, sys.version]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]

    def is_stale(self) -> bool:
        """Whether program or course are others by now."""
        return _stamp(self.course) != self.stamp

    def to_arguments(self) -> list[str]:
        """For the command."""
        return [str(self.folder), str(self.course), self.level, self.stamp, "private" if self.is_private else "shared"]

    @classmethod
    def read(cls, arguments: list[str]) -> Purpose:
        """From the command's arguments."""
        folder, course, level, stamp, kind = arguments
        return cls(Path(folder), Path(course), cast(Level, level), stamp, kind == "private")


def _stamp(course: Path) -> str:
    return program_stamp()[:32] + course_stamp(course.parent)[:32]
