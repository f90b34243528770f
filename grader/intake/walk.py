"""Lists and reads what lies in a folder or in a zip: follows no link, extracts nothing to disk, believes no header.

What was listed in a folder is opened only while it is the very same file. So nobody who can change a folder while it is
read has another file read, by a link put anywhere on the way. A zip is unpacked into memory, with a counter.

Each step is short, since sizes are limited and time grows in proportion to them. So it is enough to look at the clock
between steps. Without a running clock, as for the course's own files, there is no limit.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import struct
import time
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import IO

from grader.errors import KataError
from grader.record import ProblemKind

from .names import COURSE_WORK, is_course, is_passed_over, kind_of_file, printable

READING_SECONDS = 10.0
"""Limit of processor time for reading a submission; an ordinary one takes a hundredth of a second."""
MB = 1024 * 1024
MAX_TOTAL_MB = 64  # total over all files of a submission
MAX_ENTRIES = 20_000  # files and folders visited
MAX_DEPTH = 16  # folders within folders
MAX_RATIO = 200  # unpacked to packed; Python source stays below 20
_RATIO_COUNTS_FROM = 256 * 1024  # unpacked bytes; small files of blanks have a higher ratio than any bomb
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others can expand without limit in one step of the unpacker
ZIP_MB = 32
# By `is_class`: of the zip itself, MB; of its members, how many, and MB that they say they unpack to.
_LIMITS = {False: (ZIP_MB, 1000, 256), True: (2048, 50_000, 20 * 1024)}
_BYTES_OF_ENTRY = 320  # in a table of contents, on average, of a zip with as many members as it may have
ENVIRONMENT = "pyvenv.cfg"
"""Marks a virtual environment, whatever its folder is called: libraries, not work."""

_LINK = "is a link; hand in the file itself"
# Not every system has every flag.
_FLAGS = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"))
# a RuntimeError asks for a password, a ValueError finds a name that is no text or a negative offset
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError, OverflowError)
_DAMAGED = "is damaged or not a zip; zip your files again"
_DAMAGED_MEMBER = "is damaged, locked with a password or packed in an unusual way; zip your files again"


class SubmissionError(KataError):
    """The submission as a whole cannot be read."""


class OutOfReach(SubmissionError):
    """This machine cannot read the submission, which is not the learner's fault."""


class UnreadableError(Exception):
    """One file cannot be read, or must not be, as a link; the text continues a sentence that starts with its name.

    is_systems: whether the operating system does not open it.
    """

    def __init__(self, reason: str, kind: ProblemKind = "unreadable", *, is_systems: bool = False) -> None:
        super().__init__(reason)
        self.kind, self.is_systems = kind, is_systems

    def __call__(self, limit: int) -> bytes:
        """In place of a file that is read: raises itself."""
        raise self


Read = Callable[[int], bytes]
"""Takes a number of bytes; returns the file's content, of a longer one at least a byte more. Raises UnreadableError."""
Content = Read | UnreadableError
"""What stands at a path: a file, or a reason not to read it."""
_running: ContextVar[tuple[str, float] | None] = ContextVar("_running", default=None)


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
    if (running := _running.get()) and time.thread_time() > running[1]:
        advice = "hand in the exercise files alone"
        raise SubmissionError(f"{running[0]} could not be read in {READING_SECONDS:g} seconds; {advice}.")


# --- what may be work -------------------------------------------------------------------------------------------------


def _possible_work(entries_in: Callable[[str], Mapping[str, Content | None]]) -> list[tuple[str, Content]]:
    """The files that may be a learner's work, sorted by path: not hidden, a tool's, the course's own or a library's.

    What is passed over, or lies too deep, is not opened. entries_in: what lies in a folder, by name. A folder's name
    ends with `/`, and so does its path; "" is the top. Raises UnreadableError: that cannot be opened.
    """
    found: list[tuple[str, Content]] = []
    folders = [""]
    for folder in folders:
        look_at_clock()
        try:
            entries = entries_in(folder)
        except UnreadableError as error:
            if not folder:
                raise
            found.append((folder[:-1], error))
            continue
        names = {entry.removesuffix("/") for entry in entries}
        is_copy = is_course(names)
        is_all_work = not (is_copy or (folder and ENVIRONMENT in names))
        for entry, content in entries.items():
            name = entry.removesuffix("/")
            # an answer may lie beside what is the course's or a library's
            may_be_work = kind_of_file(name) == "exercise" if content is not None else is_copy and name == COURSE_WORK
            if is_passed_over(name) or not (is_all_work or may_be_work):
                continue
            if content is not None:
                found.append((folder + name, content))
            elif folder.count("/") < MAX_DEPTH:
                folders.append(folder + entry)
            else:
                too_deep = f"lies more than {MAX_DEPTH} folders deep and was not read"
                found.append((folder + name, UnreadableError(too_deep, "refused")))
    return sorted(found, key=itemgetter(0))


# --- folders ----------------------------------------------------------------------------------------------------------


def list_folder(path: Path, name: str) -> list[tuple[str, Content]]:
    """The files in the folder `path` and below that may be work, each with its relative path, sorted.

    name: of the submission, for messages. Raises UnreadableError: it cannot be opened, SubmissionError: it holds too
    much.
    """
    seen: dict[str, os.stat_result | None] = {"": None}

    def entries_in(folder: str) -> dict[str, Content | None]:
        found: dict[str, Content | None] = {}
        for entry, status in _listed(path / folder, seen[folder]):
            is_folder = stat.S_ISDIR(status.st_mode)
            read = partial(read_regular, path / folder / entry, listed=status)
            shown = f"{entry}/" if is_folder else entry
            found[shown] = None if is_folder else _refused(status.st_mode) or read
            seen[folder + shown] = status
        if len(seen) > MAX_ENTRIES:
            raise SubmissionError(f"{name} holds more than {MAX_ENTRIES} files; hand in the exercise files alone.")
        return found

    return _possible_work(entries_in)


def _listed(folder: Path, listed: os.stat_result | None) -> list[tuple[str, os.stat_result]]:
    """What lies in a folder; in the one that was listed, if it is given. Raises UnreadableError."""
    descriptor = _open(folder, listed, stat.S_IFDIR) if os.scandir in os.supports_fd else None
    try:
        with os.scandir(folder if descriptor is None else descriptor) as entries:
            return [(each.name, each.stat(follow_symlinks=False)) for each in islice(entries, MAX_ENTRIES + 1)]
    except OSError as error:
        raise reason_of(error) from None
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _refused(mode: int, wanted: int = stat.S_IFREG) -> UnreadableError | None:
    """Why what has this mode is not opened; None for what is wanted, a file or a folder."""
    if stat.S_IFMT(mode) == wanted:
        return None
    other = "is not an ordinary file (a pipe, a socket or a device)"
    return UnreadableError(_LINK if stat.S_ISLNK(mode) else other, "refused")


def reason_of(error: OSError) -> UnreadableError:
    """An operating system's error in a learner's words."""
    if error.errno in (errno.ELOOP, errno.EMLINK):  # with O_NOFOLLOW, these mean a link
        return UnreadableError(_LINK, "refused")
    said = {PermissionError: "cannot be opened: permission denied", FileNotFoundError: "does not exist"}
    other = f"cannot be read: {error.strerror or 'unknown error'}"
    return UnreadableError(said.get(type(error), other), is_systems=True)


def _open(path: Path, listed: os.stat_result | None, wanted: int = stat.S_IFREG) -> int:
    """A descriptor of an ordinary file or a folder, of the one that was listed. Raises UnreadableError."""
    try:
        before = listed or os.lstat(path)
        if refused := _refused(before.st_mode, wanted):  # opening a device may already have an effect
            raise refused
        descriptor = os.open(path, os.O_RDONLY | _FLAGS)
        now = os.fstat(descriptor)
    except OSError as error:
        raise reason_of(error) from None
    # a pipe in a file's place may have its number; Windows gives a file none in a listing
    is_same = os.path.samestat(now, before) and stat.S_IFMT(now.st_mode) == stat.S_IFMT(before.st_mode)
    if not is_same and os.name == "posix":
        os.close(descriptor)
        raise UnreadableError("was replaced while the submission was read; hand it in again", "refused")
    return descriptor


def open_regular(path: Path, listed: os.stat_result | None = None) -> IO[bytes]:
    """An ordinary file for reading, the one that was listed. Raises UnreadableError for all else, also for a link."""
    return open(_open(path, listed), "rb")


def read_regular(path: Path, limit: int, listed: os.stat_result | None = None) -> bytes:
    """An ordinary file's bytes, at most `limit` + 1, where the extra byte means more. Raises UnreadableError."""
    with open_regular(path, listed) as file:
        try:
            return file.read(limit + 1)
        except OSError as error:
            raise reason_of(error) from None


# --- zips -------------------------------------------------------------------------------------------------------------


def list_zip(file: IO[bytes], name: str, *, is_class: bool = False) -> list[tuple[str, Content]]:
    """The files in a zip that may be work, each with its path, sorted; `file` has to stay open.

    name: of the zip, for messages. is_class: it is a platform's download of a whole class: a harmful member is left
    out, and does not refuse the zip. Raises SubmissionError: it is damaged, too large or harmful.
    """
    archive = _opened(file, name, *_LIMITS[is_class])
    infos = archive.infolist()
    places = {info: "/".join(part for part in info.filename.split("/") if part not in ("", ".")) for info in infos}
    times = Counter(places.values())
    folders: defaultdict[str, dict[str, Content | None]] = defaultdict(dict)
    for info, where in places.items():
        look_at_clock()
        content: Content = partial(_unpacked, name, where, archive, info)
        if harm := _harm_of(info, is_twice=times[where] > 1):
            if not is_class:
                raise SubmissionError(f"{name} holds {harm}.")
            content = UnreadableError(f"holds {harm}", "refused")
        elif info.is_dir():
            continue
        folder, (*above, last) = "", where.split("/", MAX_DEPTH + 1)
        for each in above:
            folders[folder][f"{each}/"] = None
            folder += f"{each}/"
        folders[folder][last] = content
    return _possible_work(lambda folder: folders[folder])


class _Guarded(io.BufferedReader):
    """A zip's file that is not read by more than `most` bytes in one step: so zipfile reads the table of contents."""

    most: int
    refusal: SubmissionError

    def read(self, size: int | None = -1, /) -> bytes:
        content = super().read(self.most + 1 if size is None or size < 0 else min(size, self.most + 1))
        if len(content) > self.most:
            raise self.refusal
        return content


def _opened(file: IO[bytes], name: str, zip_mb: int, members: int, unpacked_mb: int) -> zipfile.ZipFile:
    """The zip, if it is sound as a whole, and not larger than this. Raises SubmissionError."""
    limits = f"is larger than {zip_mb} MB, holds more than {members} files or unpacks to more than {unpacked_mb} MB"
    guarded = _Guarded(file)  # type: ignore[arg-type]
    guarded.most = members * _BYTES_OF_ENTRY
    guarded.refusal = SubmissionError(f"{name} {limits}; zip the exercise files alone.")
    if file.seek(0, os.SEEK_END) > zip_mb * MB:
        raise guarded.refusal
    try:
        archive = zipfile.ZipFile(guarded)
    except _DAMAGE:
        raise SubmissionError(f"{name} {_DAMAGED}.") from None
    infos, end = archive.infolist(), archive.start_dir
    if len(infos) > members or sum(info.file_size for info in infos) > unpacked_mb * MB:
        raise guarded.refusal
    for info in sorted(infos, key=lambda info: info.header_offset, reverse=True):
        # members that share packed bytes: that is how a small zip unpacks to terabytes
        if info.header_offset < 0 or info.header_offset + 30 + len(info.orig_filename) + info.compress_size > end:
            raise SubmissionError(f"{name} {_DAMAGED}.")
        end = info.header_offset
    return archive


def _harm_of(info: zipfile.ZipInfo, *, is_twice: bool) -> str:
    """Why a member refuses the zip, to follow "holds"; empty for an ordinary file or folder inside of it."""
    name, kind, shown = info.filename, stat.S_IFMT(info.external_attr >> 16), printable(info.orig_filename)
    is_outside = ".." in name.split("/") or name.startswith("/") or (name[1:2] == ":" and name[0].isalpha())
    if is_outside or "\\" in name or "\0" in info.orig_filename:
        return f"a name that leads outside, or has a backslash or NUL ({shown}); zip the folder from inside"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return f"a link, or another thing that is not an ordinary file ({shown}); zip the file itself"
    return f"two files named {shown}; zip your files again" if is_twice else ""


def _unpacked(zip_name: str, where: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> bytes:
    """At most `limit` + 1 bytes of a member. Raises UnreadableError, and SubmissionError for a bomb."""
    if info.compress_type not in _METHODS:
        raise UnreadableError(_DAMAGED_MEMBER)
    most = max(_RATIO_COUNTS_FROM, MAX_RATIO * max(info.compress_size, 1))
    bomb = SubmissionError(f"{zip_name} is a zip bomb ({printable(where)}).")
    if info.file_size > most:
        raise bomb
    content = bytearray()
    try:
        with archive.open(info) as stream:
            while len(content) <= limit and (part := stream.read(min(1 << 16, limit + 1 - len(content)))):
                content += part
                look_at_clock()
                if len(content) > most:
                    raise bomb
    except _DAMAGE:
        raise UnreadableError(_DAMAGED_MEMBER) from None
    return bytes(content)
