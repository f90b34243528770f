"""Maps of `kata play` that learners handed in with their work, for the class's pages.

They are a learner's own claim, shown as such; nothing is graded by them. OUT/played.jsonl holds a line a learner.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path

from grader.files import write_file
from grader.intake import SubmissionError
from grader.intake.reading_time import look_at_clock, reading_clock
from grader.intake.regular_file import read_regular
from grader.intake.submission import UnreadableError
from grader.intake.walk import Read
from grader.intake.zip_file import opened_zip
from grader.played import FILE_NAME, MOST_BYTES, Played, as_bytes, from_bytes

from .entries import Entry

PLAYED = "played.jsonl"
STATE = ".kata"
MOST_FOLDERS = 50
"""Folders of a submission that are looked into for a workspace."""
MOST_DEPTH = 3
"""The deepest path of the file in a zip: attention/.kata/maps.json"""


def played_in(entry: Entry) -> dict[str, Played]:
    """What one learner played, by exercise; nothing for one whose submission holds no such file, or none to read.

    It is read on the learner's own time, like all that is handed in, and a zip within the same limits.
    """
    maps = _Maps(entry.path.name)
    with suppress(SubmissionError, OSError, ValueError), reading_clock(maps.name):
        if entry.path.is_symlink():
            return {}
        if entry.path.is_dir():
            _look_into(entry.path, maps)
        elif entry.path.suffix.lower() == ".zip":
            with opened_zip(entry.path, maps.name) as members:
                for where in maps.places(members):
                    if (member := members[where]) is not None:
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


def keep_played(out: Path, entries: Iterable[Entry]) -> None:
    """Write OUT's list again; no file if nobody has played. Raises OSError."""
    lines = (_line(entry, played) for entry in entries if (played := played_in(entry)))
    first = next(lines, None)
    if first is None:
        (out / PLAYED).unlink(missing_ok=True)
    else:
        write_file(out / PLAYED, chain([first], lines))


def _line(entry: Entry, played: dict[str, Played]) -> bytes:
    return json.dumps({"submission": entry.name, "file": as_bytes(played).decode()}).encode("ascii") + b"\n"


class PlayedOf:
    """Reads OUT's list, with one learner in memory at a time."""

    def __init__(self, out: Path) -> None:
        self._path, self._places = out / PLAYED, dict[str, int]()
        with suppress(FileNotFoundError), self._path.open("rb") as lines:
            place = 0
            for line in lines:
                if name := _told(line).get("submission"):
                    self._places[name] = place
                place += len(line)

    def __call__(self, name: str) -> dict[str, Played]:
        """What a learner of the class played, by exercise."""
        if name not in self._places:
            return {}
        with self._path.open("rb") as lines:
            lines.seek(self._places[name])
            return from_bytes(_told(lines.readline()).get("file", "").encode("utf-8", "replace")) or {}


def _told(line: bytes) -> dict[str, str]:
    """A line of the list; nothing of a damaged one, as no mark hangs on it."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return {key: each for key, each in told.items() if isinstance(each, str)} if isinstance(told, dict) else {}
