"""What all formats share: their settings, their files, and how these are written.

Files are written completely or not at all, and never overwrite others unless asked to.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.writing import write_output

from .graded import By
from .marks import ExportError
from .roster import Roster


@dataclass(frozen=True)
class ExportTerms:
    """The settings of an export, the same for every format; each reads what it needs."""

    by: By = "learner"
    roster: Roster | None = None
    titles: Mapping[str, str] = field(default_factory=dict)
    """Each exercise's title by its id; without a title the id is shown."""
    units: Sequence[tuple[str, Sequence[str]]] = ()
    """Each unit's title with its exercise ids."""
    bom: bool = True
    """Whether a CSV for a spreadsheet begins with a byte order mark."""
    say: Callable[[str], None] = print
    """Receives a sentence for the user."""


@dataclass(frozen=True)
class File:
    """One file of an export."""

    name: str
    parts: Iterable[str]
    """Its text, in chunks."""


EACH_LEARNERS = "[0-9][0-9][0-9][0-9]-*.json"
"""The file names of a format with one file for each learner."""


def write_file(file: File, path: Path, *, force: bool = False) -> Path:
    """Write one file. Raises ExportError when it exists already (unless `force`) or cannot be written."""
    return _write((part.encode() for part in file.parts), path, force=force)


def write_bytes(content: bytes, path: Path, *, force: bool = False) -> Path:
    """Write one file. Raises ExportError when it exists already (unless `force`) or cannot be written."""
    return _write([content], path, force=force)


def _write(parts: Iterable[bytes], path: Path, *, force: bool) -> Path:
    refuse_existing(path, force=force)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_output(path, parts)
    except OSError as error:
        raise ExportError(f"{path} cannot be written: {error.strerror}.") from None
    return path


def write_files(files: Iterator[File], folder: Path, *, force: bool = False) -> Iterator[Path]:
    """Write files into a folder; yields each path once it is written. With `force` they replace an earlier export.

    Raises ExportError when the folder is not empty (unless `force`) or a file cannot be written.
    """
    if folder.is_dir():
        if not force and any(folder.iterdir()):
            raise ExportError(f"{folder} is not empty. With --force an earlier export there is replaced.")
        for earlier in folder.glob(EACH_LEARNERS):  # some may be of learners who are no longer in the class
            earlier.unlink()
    elif os.path.lexists(folder):
        raise ExportError(f"{folder} is a file; this format has one a learner and needs a folder.")
    for file in files:
        yield write_file(file, folder / file.name, force=force)


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise ExportError if `path` exists and must not be overwritten."""
    if path.is_dir():
        raise ExportError(f"{path} is a folder.")
    if os.path.lexists(path) and not force:
        raise ExportError(f"{path} is there already. With --force it is written over.")
