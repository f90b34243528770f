"""Lists and reads what lies in a folder or in a zip: follows no link, extracts nothing to disk, believes no header.

What was listed in a folder is opened only while it is the very same file. So nobody who can change a folder while it is
read has another file read, by a link put anywhere on the way. A zip is unpacked into memory, never more than was asked.

Each step is short, since sizes are limited and time grows in proportion to them. So it is enough to look at the clock
between steps. Without a running clock, as for the course's own files, there is no limit.
"""

from __future__ import annotations

import io
import os
import stat
import struct
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import IO, NamedTuple

from grader.course import FILE_NAME
from grader.errors import KataError
from grader.files import UnreadableError, open_listed, read_regular, reason_of, refused

from .names import COURSE_WORK, REVIEWS, is_passed_over, kind_of_file

READING_SECONDS = 10.0
"""Limit of processor time for reading a submission; an ordinary one takes a hundredth of a second."""
MB = 1024 * 1024
MAX_TOTAL_MB = 64  # total over all files of a submission
MAX_ENTRIES = 20_000  # in one folder, in a zip, and files that may be work
MAX_DEPTH = 16  # folders within folders
MAX_RATIO = 200  # unpacked to packed; Python source stays below 20
_RATIO_COUNTS_FROM = 256 * 1024  # unpacked bytes; small files of blanks have a higher ratio than any bomb
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others can expand without limit in one step of the unpacker
ZIP_MB = 32
_ENVIRONMENT = "pyvenv.cfg"  # marks a virtual environment, whatever its folder is called: libraries, not work

# a RuntimeError asks for a password, a ValueError finds a name that is no text or a negative offset
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError, OverflowError)


class SubmissionError(KataError):
    """The submission as a whole cannot be read."""


class OutOfReach(SubmissionError):
    """This machine cannot read the submission, which is not the learner's fault."""


Read = Callable[[int], bytes]
"""Takes a number of bytes; returns the file's content, of a longer one at least a byte more. Raises UnreadableError."""
Content = Read | UnreadableError
"""What stands at a path: a file, or a reason not to read it."""
_running: ContextVar[tuple[str, float]] = ContextVar("_running", default=("", float("inf")))
"""The name of the submission that is read, and until when."""


@contextmanager
def reading_clock(name: str) -> Iterator[None]:
    """Limit the processor time for reading a submission in this block, as `look_at_clock` demands; `name` is for that.

    Waiting for a disk is charged to nobody.
    """
    token = _running.set((name, time.thread_time() + READING_SECONDS))
    try:
        yield
    finally:
        _running.reset(token)


def look_at_clock() -> None:
    """Check the clock between two steps of reading. Raises SubmissionError when the time is used up."""
    name, end = _running.get()
    if time.thread_time() > end:
        limit = f"{READING_SECONDS:g} seconds"
        raise SubmissionError(f"{name} could not be read in {limit}; hand in the exercise files alone.")


# --- what may be work -------------------------------------------------------------------------------------------------


class Folder(NamedTuple):
    """What lies in a folder: files, of which a zip may hold several with one name, and folders, opened by a call."""

    files: list[tuple[str, Content]]
    folders: dict[str, Callable[[], Folder]]

    def opened(self) -> Folder:
        """In place of what opens a folder."""
        return self


def _possible_work(folder: Folder, above: str = "") -> list[tuple[str, Content]]:
    """The files in a folder and below that may be work, each with its path, sorted.

    They are not hidden, a tool's, the course's own or a library's. What is passed over, or lies too deep, is not
    opened. above: the folder's path, with a `/` at the end. Raises UnreadableError: there are too many.
    """
    look_at_clock()
    names = {name for name, _ in folder.files} | folder.folders.keys()
    is_course = COURSE_WORK in names and (FILE_NAME in names or REVIEWS in names)
    is_all_work = not is_course and (not above or _ENVIRONMENT not in names)
    found: list[tuple[str, Content]] = []
    for name, content in folder.files:
        # an answer may lie beside what is the course's or a library's
        if not is_passed_over(name) and (is_all_work or kind_of_file(name) == "exercise"):
            found.append((above + name, content))
    for name, open_it in folder.folders.items():
        if is_passed_over(name) or not (is_all_work or (is_course and name == COURSE_WORK)):
            continue
        try:
            if above.count("/") == MAX_DEPTH:
                raise UnreadableError(f"lies more than {MAX_DEPTH} folders deep and was not read", "refused")
            inner = open_it()
        except UnreadableError as error:
            found.append((above + name, error))
        else:
            found += _possible_work(inner, f"{above}{name}/")
    if len(found) > MAX_ENTRIES:
        raise _too_many()
    return sorted(found, key=itemgetter(0))


def _too_many() -> UnreadableError:
    return UnreadableError(f"holds more than {MAX_ENTRIES} files; hand in the exercise files alone")


# --- folders ----------------------------------------------------------------------------------------------------------


def list_folder(path: Path) -> list[tuple[str, Content]]:
    """The files in a folder and below that may be work, each with its relative path, sorted. Raises UnreadableError."""
    return _possible_work(_open_folder(path))


def _open_folder(path: Path, listed: os.stat_result | None = None) -> Folder:
    """What lies in a folder; in the one that was listed, if it is given. Raises UnreadableError."""
    found = Folder([], {})
    descriptor = open_listed(path, listed, stat.S_IFDIR) if os.scandir in os.supports_fd else None
    try:
        with os.scandir(path if descriptor is None else descriptor) as entries:
            for entry in entries:
                status, where = entry.stat(follow_symlinks=False), path / entry.name
                if stat.S_ISDIR(status.st_mode):
                    found.folders[entry.name] = partial(_open_folder, where, status)
                else:
                    content = refused(status.st_mode) or partial(read_regular, where, listed=status)
                    found.files.append((entry.name, content))
                if len(found.files) + len(found.folders) > MAX_ENTRIES:
                    raise _too_many()
    except OSError as error:
        raise reason_of(error) from None
    finally:
        if descriptor is not None:
            os.close(descriptor)
    return found


# --- zips -------------------------------------------------------------------------------------------------------------


def list_zip(file: IO[bytes], most_mb: int = ZIP_MB) -> list[tuple[str, Content]]:
    """The files in a zip that may be work, each with its path, sorted; `file` has to stay open.

    Raises UnreadableError: the zip is damaged, or larger than `most_mb`.
    """
    if file.seek(0, os.SEEK_END) > most_mb * MB:
        raise UnreadableError(f"is larger than {most_mb} MB; zip the exercise files alone")
    try:
        archive = zipfile.ZipFile(_Guarded(file))  # type: ignore[arg-type]
    except _DAMAGE:
        raise UnreadableError("is damaged or not a zip; zip your files again") from None
    top = Folder([], {})
    for info in archive.infolist():
        look_at_clock()
        harm = _harm_of(info)
        if info.filename.endswith("/") and not harm:
            continue
        path = "/".join(part for part in info.filename.split("/") if part not in ("", "."))
        *above, name = (path or ".").split("/", MAX_DEPTH + 1)
        folder = top
        for each in above:
            folder = folder.folders.setdefault(each, Folder([], {}).opened)()
        folder.files.append((name, harm or partial(_unpacked, archive, info)))
    return _possible_work(top)


class _Guarded(io.BufferedReader):
    """A zip's file of which no step reads too much: zipfile reads a table of contents, however long, in one step."""

    def read(self, size: int | None = -1, /) -> bytes:
        content = super().read(size and min(size, ZIP_MB * MB + 1))
        if content.count(b"PK\x01\x02") > MAX_ENTRIES:  # what an entry in that table begins with
            raise _too_many()
        return content


def _harm_of(info: zipfile.ZipInfo) -> UnreadableError | None:
    """Why a member is not read; None for an ordinary file or folder inside of the zip."""
    name, mode = info.filename, info.external_attr >> 16
    is_outside = ".." in name.split("/") or name.startswith("/") or (name[1:2] == ":" and name[0].isalpha())
    if is_outside or "\\" in name or "\0" in info.orig_filename:
        outside = "has a name that leads outside, or has a backslash or NUL; zip the folder from inside"
        return UnreadableError(outside, "refused")
    return None if stat.S_IFMT(mode) in (0, stat.S_IFDIR) else refused(mode)


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> bytes:
    """At most `limit` + 1 bytes of a member. Raises UnreadableError."""
    look_at_clock()
    # what says that it is small gives no more than it says
    if info.file_size > max(_RATIO_COUNTS_FROM, MAX_RATIO * info.compress_size):
        raise UnreadableError("is a zip bomb", "refused")
    try:
        if info.compress_type in _METHODS:
            with archive.open(info) as stream:
                return stream.read(limit + 1)
    except _DAMAGE:
        pass
    raise UnreadableError("is damaged, locked with a password or packed in an unusual way; zip your files again")
