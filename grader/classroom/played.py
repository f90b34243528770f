"""Maps of `kata play` that learners handed in with their work, for the class's pages.

They are a learner's own claim and shown as such; they do not affect grades. OUT/played.jsonl has a line for each
learner.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from grader.intake.folder import read_regular
from grader.intake.submission import RefusedError, UnreadableError
from grader.played import FILE_NAME, MOST_BYTES, Played, as_bytes, from_bytes
from grader.writing import write_file

from .entries import Entry

PLAYED = "played.jsonl"
STATE = ".kata"
MOST_FOLDERS = 50
"""Folders of a submission that are searched for a workspace."""
MOST_ZIP_BYTES = 32 * 1024 * 1024
MOST_DEPTH = 3
"""The deepest path of the file in a zip: attention/.kata/maps.json"""


def played_in(entry: Entry) -> dict[str, Played]:
    """What one learner played, by exercise; empty if the submission has no readable file of it."""
    for content in _candidates(entry.path):
        if found := from_bytes(content):
            return found
    return {}


def _candidates(path: Path) -> Iterator[bytes]:
    with suppress(RefusedError, UnreadableError, OSError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error):
        if path.is_symlink():
            return
        if path.is_dir():
            yield from _in_folder(path)
        elif path.suffix.lower() == ".zip" and path.stat().st_size <= MOST_ZIP_BYTES:
            yield from _in_zip(path)


def _in_folder(path: Path) -> Iterator[bytes]:
    """Search the submission's folder and its direct subfolders; no link is followed."""
    with os.scandir(path) as entries:
        below = sorted(each.name for each in entries if each.is_dir(follow_symlinks=False))[:MOST_FOLDERS]
    for folder in (path, *(path / name for name in below if name != STATE)):
        state = folder / STATE
        if state.is_dir() and not state.is_symlink():
            with suppress(RefusedError, UnreadableError):
                yield read_regular(state / FILE_NAME, MOST_BYTES)


def _in_zip(path: Path) -> Iterator[bytes]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            parts = info.filename.split("/")
            if parts[-2:] == [STATE, FILE_NAME] and len(parts) <= MOST_DEPTH and info.file_size <= MOST_BYTES:
                with archive.open(info) as member:
                    yield member.read(MOST_BYTES + 1)


def keep_played(out: Path, entries: Iterable[Entry], *, of_attempts: bool) -> None:
    """Write OUT's list again; no file if nobody has played. of_attempts: entries are named LEARNER/ATTEMPT.

    Raises OSError.
    """
    found: dict[str, dict[str, Played]] = {}
    for entry in entries:
        if played := played_in(entry):
            found[entry.name.rpartition("/")[0] if of_attempts else entry.name] = played
    if found:
        write_file(out / PLAYED, (_line(name, played) for name, played in found.items()))
    else:
        (out / PLAYED).unlink(missing_ok=True)


def _line(name: str, played: dict[str, Played]) -> bytes:
    return json.dumps({"submission": name, "file": as_bytes(played).decode()}).encode("ascii") + b"\n"


class PlayedOf:
    """Reads OUT's list, with one learner in memory at a time."""

    def __init__(self, out: Path) -> None:
        self._path, self._places = out / PLAYED, dict[str, int]()
        with suppress(FileNotFoundError), self._path.open("rb") as lines:
            place = 0
            for line in lines:
                self._places[json.loads(line)["submission"]] = place
                place += len(line)

    def __call__(self, name: str) -> dict[str, Played]:
        """What a learner of the class played, by exercise."""
        if name not in self._places:
            return {}
        with self._path.open("rb") as lines:
            lines.seek(self._places[name])
            return from_bytes(json.loads(lines.readline())["file"].encode()) or {}
