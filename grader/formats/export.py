"""What every format is given and gives back, and how its files are put in their place.

Files are written whole or not at all, and never over others unasked.
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
    """The same for every format; each reads what it needs."""

    by: By = "learner"
    roster: Roster | None = None
    titles: Mapping[str, str] = field(default_factory=dict)
    """Each exercise's title by its id; ids stand for themselves where it is not known."""
    units: Sequence[tuple[str, Sequence[str]]] = ()
    """Each unit's title with its exercise ids."""
    bom: bool = True
    """Whether a table for a spreadsheet begins with a byte order mark."""
    say: Callable[[str], None] = print
    """Takes a sentence for whoever exports."""


@dataclass(frozen=True)
class File:
    """One file of an export."""

    name: str
    parts: Iterable[str]
    """Its text, in pieces."""


EACH_LEARNERS = "[0-9][0-9][0-9][0-9]-*.json"
"""What the files of a format with a file a learner are called."""


def write_file(file: File, path: Path, *, force: bool = False) -> Path:
    """Write one file. Raises ExportError when there is one already, unless `force`, or it cannot be written."""
    return _write((part.encode() for part in file.parts), path, force=force)


def write_bytes(content: bytes, path: Path, *, force: bool = False) -> Path:
    """Write one file. Raises ExportError when there is one already, unless `force`, or it cannot be written."""
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
    """Write files into a folder, each yielded once it is there; with `force` in place of those of an earlier export.

    Raises ExportError when the folder holds anything already, unless `force`, or a file cannot be written.
    """
    if folder.is_dir():
        if not force and any(folder.iterdir()):
            raise ExportError(f"{folder} is not empty. With --force an earlier export there is replaced.")
        for earlier in folder.glob(EACH_LEARNERS):  # of learners who may not be in the class any more
            earlier.unlink()
    elif os.path.lexists(folder):
        raise ExportError(f"{folder} is a file; this format has one a learner and needs a folder.")
    for file in files:
        yield write_file(file, folder / file.name, force=force)


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise ExportError when there is something at `path` that must not be written over."""
    if path.is_dir():
        raise ExportError(f"{path} is a folder.")
    if os.path.lexists(path) and not force:
        raise ExportError(f"{path} is there already. With --force it is written over.")
