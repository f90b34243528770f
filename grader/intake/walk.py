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
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO

from grader.errors import KataError
from grader.record import ProblemKind

from .names import COURSE_WORK, is_course, is_passed_over, printable

READING_SECONDS = 10.0
"""Limit of processor time for reading a submission; an ordinary one takes a hundredth of a second."""
WAITING_SECONDS = 300.0
"""Limit of wall time: a disk or network slower than this cannot be graded from."""
MB = 1024 * 1024
MAX_TOTAL_MB = 64  # total over all files of a submission
MAX_ENTRIES = 20_000  # files and folders visited
MAX_DEPTH = 16  # folders within folders
MAX_RATIO = 200  # unpacked to packed; Python source stays below 20
_RATIO_COUNTS_FROM = 256 * 1024  # unpacked bytes; small files of blanks have a higher ratio than any bomb
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Accepted compression methods. The others can expand without limit within one step of the unpacker."""
ENVIRONMENT = "pyvenv.cfg"
"""Marks a virtual environment, whatever its folder is called: libraries, not work."""

# Not every system has every flag.
_FLAGS = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"))
_ENCRYPTED = 0x1 | 0x40
# a RuntimeError asks for a password, a ValueError finds a name that is no text or a negative offset
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError, OverflowError)
_DAMAGED = "is damaged or not a zip; zip your files again"


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
        self.kind, self._is_systems = kind, is_systems

    def of_all(self, name: str) -> SubmissionError:
        """The same about a submission as a whole, which is called so."""
        return (OutOfReach if self._is_systems else SubmissionError)(f"{name} {self}.")


Read = Callable[[int], bytes]
"""Takes a number of bytes; returns the file's content, of a longer one at least a byte more. Raises UnreadableError."""
Content = Read | UnreadableError | None
"""What stands at a path: a file, a reason not to read it, or (None) a folder."""
_running: ContextVar[tuple[str, float, float] | None] = ContextVar("_running", default=None)


@contextmanager
def reading_clock(name: str) -> Iterator[None]:
    """Limit the time for reading a submission in this block, enforced by `look_at_clock`; `name` is for messages.

    Processor time is charged to the learner, waiting to the machine.
    """
    token = _running.set((name, time.thread_time(), time.monotonic()))
    try:
        yield
    finally:
        _running.reset(token)


def look_at_clock() -> None:
    """Check the clock between two steps of reading. Raises SubmissionError when the time is used up."""
    if running := _running.get():
        name, worked_before, began = running
        if time.thread_time() - worked_before > READING_SECONDS:
            advice = "hand in the exercise files alone"
            raise SubmissionError(f"{name} could not be read in {READING_SECONDS:g} seconds; {advice}.")
        if time.monotonic() - began > WAITING_SECONDS:
            raise OutOfReach(f"{name} did not come from the disk in {WAITING_SECONDS:g} seconds.")


# --- folders ----------------------------------------------------------------------------------------------------------


def reason_of(error: OSError) -> UnreadableError:
    """An operating system's error in a learner's words."""
    if error.errno in (errno.ELOOP, errno.EMLINK):  # with O_NOFOLLOW, these mean a link
        return UnreadableError("is a link; hand in the file itself", "refused")
    if isinstance(error, PermissionError):
        return UnreadableError("cannot be opened: permission denied", is_systems=True)
    if isinstance(error, FileNotFoundError):
        return UnreadableError("does not exist", is_systems=True)
    return UnreadableError(f"cannot be read: {error.strerror or 'unknown error'}", is_systems=True)


def _refused(mode: int, *, is_folder: bool = False) -> UnreadableError | None:
    """Why what has this mode is not opened: it is no ordinary file, or no folder."""
    if stat.S_ISLNK(mode):
        return UnreadableError("is a link; hand in the file itself", "refused")
    if (stat.S_ISDIR if is_folder else stat.S_ISREG)(mode):
        return None
    kind = "a folder" if is_folder else "an ordinary file (a pipe, a socket or a device)"
    return UnreadableError(f"is not {kind}", "refused")


def _open(path: str | os.PathLike[str], listed: os.stat_result | None, *, is_folder: bool = False) -> int:
    """A descriptor of an ordinary file or a folder, of the one that was listed. Raises UnreadableError."""
    try:
        before = listed or os.lstat(path)
        if refused := _refused(before.st_mode, is_folder=is_folder):  # opening a device may already have an effect
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


def open_regular(path: str | os.PathLike[str], listed: os.stat_result | None = None) -> IO[bytes]:
    """An ordinary file for reading, the one that was listed. Raises UnreadableError for all else, also for a link."""
    return open(_open(path, listed), "rb")


def read_regular(path: str | os.PathLike[str], limit: int, listed: os.stat_result | None = None) -> bytes:
    """An ordinary file's bytes, at most `limit` + 1, where the extra byte means more. Raises UnreadableError."""
    with open_regular(path, listed) as file:
        try:
            return file.read(limit + 1)
        except OSError as error:
            raise reason_of(error) from None


def list_folder(path: Path, name: str) -> dict[str, Content]:
    """What is in the folder `path` and below, by relative path. What is passed over, or lies too deep, is not opened.

    name: of the submission, for messages. Raises SubmissionError: it cannot be opened, or holds too much.
    """
    found: dict[str, Content] = {}
    waiting: list[tuple[str, os.stat_result | None]] = [("", None)]
    for folder, listed in waiting:
        try:
            entries = _entries_in(os.path.join(path, folder) if folder else path, listed)
        except UnreadableError as error:
            if not folder:
                raise error.of_all(name) from None
            found[folder] = error
            continue
        is_library = bool(folder) and ENVIRONMENT in entries
        for entry, status in entries.items():
            where = f"{folder}/{entry}" if folder else entry
            if not stat.S_ISDIR(status.st_mode):
                read = partial(read_regular, os.path.join(path, where), listed=status)
                found[where] = _refused(status.st_mode) or read
            elif where.count("/") >= MAX_DEPTH:
                found[where] = _too_deep()
            else:
                found[where] = None
                if not (is_library or is_passed_over(entry)):
                    waiting.append((where, status))
        if len(found) > MAX_ENTRIES:
            raise SubmissionError(f"{name} holds more than {MAX_ENTRIES} files; hand in the exercise files alone.")
    return found


def _entries_in(folder: str | Path, listed: os.stat_result | None) -> dict[str, os.stat_result]:
    """What lies in a folder, by name; in the one that was listed, if it is given. Raises UnreadableError."""
    look_at_clock()
    descriptor = _open(folder, listed, is_folder=True) if os.scandir in os.supports_fd else None
    try:
        with os.scandir(folder if descriptor is None else descriptor) as entries:
            return {entry.name: entry.stat(follow_symlinks=False) for entry in islice(entries, MAX_ENTRIES + 1)}
    except OSError as error:
        raise reason_of(error) from None
    finally:
        if descriptor is not None:
            os.close(descriptor)


def possible_work(found: Mapping[str, Content]) -> Iterator[tuple[str, Read | UnreadableError]]:
    """The files that may be a learner's work, sorted by path: not hidden, a tool's, the course's own or a library's.

    Takes time in proportion to the paths. Searching each folder in each path would take hours for a large zip.
    """
    names: defaultdict[str, set[str]] = defaultdict(set)
    for path in found:
        for folder, name in _steps(path):
            names[folder].add(name)
    libraries = {folder for folder, inside in names.items() if folder and ENVIRONMENT in inside}
    courses = {folder for folder, inside in names.items() if is_course(inside)}
    for path in sorted(found):
        content = found[path]
        if content is None or not path or any(map(is_passed_over, path.split("/"))):
            continue
        if all(each not in libraries and (each not in courses or name == COURSE_WORK) for each, name in _steps(path)):
            look_at_clock()
            yield path, _too_deep() if path.count("/") > MAX_DEPTH else content


def _too_deep() -> UnreadableError:
    return UnreadableError(f"lies more than {MAX_DEPTH} folders deep and was not read", "refused")


def _steps(path: str) -> Iterator[tuple[str, str]]:
    """Each folder along the path, with the name that is looked up in it; levels beyond MAX_DEPTH are one name."""
    folder = ""
    for name in path.split("/", MAX_DEPTH + 1):
        yield folder, name
        folder = f"{folder}{name}/"


# --- zips -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ZipLimits:
    """Limits for the zip itself, its members (a kB each in its table of contents), and the sizes that it declares.

    is_class: a harmful member is left out, and does not refuse the zip; one that does not unpack is no learner's fault.
    """

    zip_mb: int = 32
    members: int = 1000
    declared_mb: int = 256
    is_class: bool = False


MOST_CONTENTS_MB = 16
"""Of a table of contents, which is read whole: 50,000 members have some 7 MB."""
OF_A_LEARNER = ZipLimits()
OF_A_CLASS = ZipLimits(zip_mb=2048, members=50_000, declared_mb=20 * 1024, is_class=True)
"""The download of a whole class from a learning platform."""


def list_zip(file: IO[bytes], name: str, limits: ZipLimits = OF_A_LEARNER) -> dict[str, Content]:
    """The members of a zip by path, once its whole table of contents has been checked; `file` has to stay open.

    name: of the zip, for messages. Raises SubmissionError: it is damaged or harmful.
    """
    archive = _opened(file, name, limits)
    infos, end = archive.infolist(), archive.start_dir
    for info in sorted(infos, key=lambda info: info.header_offset, reverse=True):
        if info.header_offset < 0:
            raise SubmissionError(f"{name} {_DAMAGED}.")
        # members that share packed bytes: that is how a small zip unpacks to terabytes
        if info.header_offset + 30 + len(info.orig_filename) + info.compress_size > end:
            raise SubmissionError(f"{name} holds files that overlap; zip your files again.")
        end = info.header_offset
    if sum(info.file_size for info in infos) > limits.declared_mb * MB:
        raise SubmissionError(f"{name} unpacks to more than {limits.declared_mb} MB; zip the exercise files alone.")
    places = {info: "/".join(part for part in info.filename.split("/") if part not in ("", ".")) for info in infos}
    times = Counter(places.values())
    members: dict[str, Content] = {}
    for info, where in places.items():
        look_at_clock()
        twice = f"two files named {printable(where)}; zip your files again" if times[where] > 1 else ""
        if harm := _harm_of(info) or twice:
            if not limits.is_class:
                raise SubmissionError(f"{name} holds {harm}.")
            members[where or info.filename] = UnreadableError(f"holds {harm}", "refused")
        else:
            members[where] = None if info.is_dir() else partial(_unpacked, name, where, limits, archive, info)
    return members


class _Guarded(io.BufferedReader):
    """The zip's file, with a limit on what is read while the table of contents is parsed."""

    bytes_left: int | None = None

    def read(self, size: int | None = -1, /) -> bytes:
        if self.bytes_left is None:
            return super().read(size)
        wanted = self.bytes_left + 1
        content = super().read(wanted if size is None or size < 0 else min(size, wanted))
        self.bytes_left -= len(content)
        if self.bytes_left < 0:
            raise ValueError
        return content


def _opened(file: IO[bytes], name: str, limits: ZipLimits) -> zipfile.ZipFile:
    """The zip, with a table of contents of bounded length. Raises SubmissionError."""
    if file.seek(0, os.SEEK_END) > limits.zip_mb * MB:
        raise SubmissionError(f"{name} is larger than {limits.zip_mb} MB; zip the exercise files alone.")
    guarded = _Guarded(file)  # type: ignore[arg-type]
    guarded.bytes_left = min(limits.members * 1024, MOST_CONTENTS_MB * MB)
    too_many = f"{name} holds more than {limits.members} files; zip the exercise files alone."
    try:
        archive = zipfile.ZipFile(guarded)
    except _DAMAGE:
        raise SubmissionError(too_many if guarded.bytes_left < 0 else f"{name} {_DAMAGED}.") from None
    guarded.bytes_left = None
    if len(archive.infolist()) > limits.members:
        raise SubmissionError(too_many)
    return archive


def _harm_of(info: zipfile.ZipInfo) -> str:
    """Why a member refuses the zip, to follow "holds"; empty for an ordinary file or folder inside of it."""
    name, kind, shown = info.filename, stat.S_IFMT(info.external_attr >> 16), printable(info.orig_filename)
    is_drive = name[1:2] == ":" and name[0].isalpha()
    is_outside = ".." in name.split("/") or name.startswith("/") or is_drive
    harms = {
        f"a file with a NUL character in its name ({shown})": "\0" in info.orig_filename,
        f"a name with a backslash ({shown}); zip your files again with another tool": "\\" in name,
        f"a name that leads outside ({shown}); zip the folder from inside": is_outside,
        f"a link ({shown}); zip the file itself": kind == stat.S_IFLNK,
        f"something that is not an ordinary file ({shown})": kind not in (0, stat.S_IFREG, stat.S_IFDIR),
    }
    return next((harm for harm, is_there in harms.items() if is_there), "")


def _unpacked(
    zip_name: str, where: str, limits: ZipLimits, archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int
) -> bytes:
    """At most `limit` + 1 bytes of a member. Raises UnreadableError, and SubmissionError for a bomb."""
    unreadable = partial(UnreadableError, is_systems=limits.is_class)
    if info.flag_bits & _ENCRYPTED:
        raise unreadable("is locked with a password; zip your files without one")
    if info.compress_type not in METHODS:
        raise unreadable("is packed in an unusual way; zip your files with the ordinary method (deflate)")
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
        raise unreadable("is damaged inside the zip; zip your files again") from None
    return bytes(content)
