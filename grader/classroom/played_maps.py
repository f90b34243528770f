"""Maps of `kata play` that learners handed in with their work, for the class's pages.

They are a learner's own claim, shown as such; nothing is graded by them.
"""

from __future__ import annotations

import io
import os
from collections.abc import Collection
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path

from grader.intake import SubmissionError
from grader.intake.submission import UnreadableError, look_at_clock, reading_clock
from grader.intake.walk import MB, OF_A_LEARNER, Read, list_zip, read_regular
from grader.played import FILE_NAME, MOST_BYTES, Played, from_bytes

from .submission_files import SubmissionFiles

STATE = ".kata"
MOST_FOLDERS = 50
"""Folders of a submission that are looked into for a workspace."""
MOST_DEPTH = 3
"""The deepest path of the file in a zip: attention/.kata/maps.json"""


def played_in(files: SubmissionFiles) -> dict[str, Played]:
    """What one learner played, by exercise; nothing for one whose submission holds no such file, or none to read.

    It is read on the learner's own time, like all that is handed in, and a zip within the same limits.
    """
    maps = _Maps(files.path.name)
    with suppress(SubmissionError, UnreadableError, OSError, ValueError), reading_clock(maps.name):
        if files.path.is_symlink():
            return {}
        if files.path.is_dir():
            _look_into(files.path, maps)
        elif files.path.suffix.lower() == ".zip":
            packed = read_regular(files.path, OF_A_LEARNER.zip_mb * MB)
            members = list_zip(io.BytesIO(packed), maps.name)
            for where in maps.places(members):
                if not isinstance(member := members[where], UnreadableError | None):
                    maps.offer(where, member)
    return maps.found


class _Maps:
    """Takes the first file of a learner's that holds maps."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.found: dict[str, Played] = {}

    def places(self, paths: Collection[str]) -> list[str]:
        """Where such a file may lie in a zip."""
        named = (path for path in sorted(paths) if path.split("/")[-2:] == [STATE, FILE_NAME])
        return list(islice((path for path in named if path.count("/") < MOST_DEPTH), MOST_FOLDERS))

    def offer(self, where: str, read: Read) -> None:
        """Read a file, unless one was found before. Raises SubmissionError."""
        look_at_clock()
        if not self.found:
            with suppress(UnreadableError):
                self.found = from_bytes(read(MOST_BYTES)) or {}


def _look_into(path: Path, maps: _Maps) -> None:
    """Of the submission's own folder and of those right below it; no link is followed. Raises OSError."""
    with os.scandir(path) as entries:
        below = sorted(each.name for each in entries if each.is_dir(follow_symlinks=False))[:MOST_FOLDERS]
    for folder in (path, *(path / name for name in below if name != STATE)):
        state = folder / STATE
        if state.is_dir() and not state.is_symlink():
            maps.offer(FILE_NAME, partial(read_regular, state / FILE_NAME))
