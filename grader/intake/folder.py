"""Walks a folder by descriptors: each step goes from an open folder to a name in it, so no link leads outside.

Files are opened without following links, waiting on devices or reading more than asked for. Which files of an archive
count is decided from their paths alone, by the same rules as in a walk.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from .clock import look_at_clock
from .collector import Taker
from .names import COURSE_WORK, is_course, is_passed_over
from .submission import RefusedError, SubmissionError, UnreadableError

# Not every system has every flag; each is a second safeguard after the check of the file's mode.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def reason_of(error: OSError) -> UnreadableError | RefusedError:
    """Return an operating system's error in a learner's words."""
    if error.errno in (errno.ELOOP, errno.EMLINK):  # with O_NOFOLLOW, these mean a link
        return RefusedError("is a link; hand in the file itself")
    if isinstance(error, PermissionError):
        return UnreadableError("cannot be opened: permission denied")
    if isinstance(error, FileNotFoundError):
        return UnreadableError("went away while the submission was read; hand it in again")
    return UnreadableError(f"cannot be read: {error.strerror or 'unknown error'}")


def kind_refused(mode: int) -> str | None:
    """Return why a file of this mode is not read, to follow its name in a sentence; None if it may be."""
    if stat.S_ISLNK(mode):
        return "is a link; hand in the file itself"
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    return "is not an ordinary file (a pipe, a socket or a device)"


def open_regular(path: str | os.PathLike[str], folder: int | None = None) -> int:
    """Open an ordinary file for reading and return its descriptor.

    Args:
        path: the file's path, relative to `folder` when that is given.
        folder: an open folder's descriptor.

    Raises:
        RefusedError: it is a link, or not an ordinary file.
        UnreadableError: the system does not allow it.
    """
    try:
        # Checked before opening, because opening a device may already have an effect, and again after it, because the
        # file may have been replaced meanwhile.
        before = os.stat(path, dir_fd=folder, follow_symlinks=False)
        _demand_regular(before.st_mode)
        descriptor = os.open(path, _FLAGS, dir_fd=folder)
    except OSError as error:
        raise reason_of(error) from None
    try:
        _demand_regular(os.fstat(descriptor).st_mode)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def read_regular(path: str | os.PathLike[str], limit: int, folder: int | None = None) -> bytes:
    """Return an ordinary file's bytes, at most `limit` + 1, where the extra byte means that there are more.

    Raises:
        RefusedError, UnreadableError: as `open_regular`.
    """
    descriptor = open_regular(path, folder)
    with open(descriptor, "rb", buffering=0, closefd=True) as file:
        parts: list[bytes] = []
        left = limit + 1
        try:
            while left > 0 and (part := file.read(min(left, 1 << 20))):
                parts.append(part)
                left -= len(part)
        except OSError as error:
            raise reason_of(error) from None
    return b"".join(parts)


def _demand_regular(mode: int) -> None:
    if refusal := kind_refused(mode):
        raise RefusedError(refusal)
    if not stat.S_ISREG(mode):
        raise RefusedError("is not an ordinary file")


MAX_ENTRIES = 20_000  # files and folders visited
MAX_DEPTH = 16  # folders within folders
ENVIRONMENT = "pyvenv.cfg"
"""Marks a virtual environment, whatever its folder is called: libraries, not work."""

_CAN_WALK = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd and os.scandir in os.supports_fd


def collect_folder(path: Path, collector: Taker) -> None:
    """Offer every file below the folder `path` to the collector.

    Raises:
        SubmissionError: the folder cannot be opened, or contains too much.
    """
    if not _CAN_WALK:
        raise SubmissionError("This system cannot read a folder safely; hand in a zip, a notebook or a single file.")
    try:
        root = _open_folder(os.fspath(path), None)
    except OSError as error:
        raise SubmissionError(f"{collector.name} {reason_of(error)}.") from None
    try:
        _Walk(collector).enter(root, "", 0)
    finally:
        os.close(root)


def _open_folder(name: str, parent: int | None) -> int:
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)


class _Walk:
    def __init__(self, collector: Taker) -> None:
        self._collector = collector
        self._entries_left = MAX_ENTRIES

    def enter(self, folder: int, inside: str, depth: int) -> None:
        """Visit the entries of an open folder, sorted by name; `inside` is its path in the submission."""
        try:
            names = self._names(folder)
        except OSError as error:
            self._collector.report(inside or self._collector.name, reason_of(error))
            return
        if depth and ENVIRONMENT in names:
            return
        if is_course(names):  # a whole copy of the course: only this folder in it is the learner's work
            names = [COURSE_WORK]
        for name in names:
            look_at_clock()
            if not is_passed_over(name):
                self._visit(folder, name, f"{inside}/{name}" if inside else name, depth)

    def _names(self, folder: int) -> list[str]:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, self._entries_left + 1)]
        self._entries_left -= len(names)
        if self._entries_left < 0:
            advice = "hand in the exercise files alone"
            raise SubmissionError(f"{self._collector.name} holds more than {MAX_ENTRIES} files; {advice}.")
        return sorted(names)

    def _visit(self, folder: int, name: str, where: str, depth: int) -> None:
        try:
            mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        except OSError as error:
            self._collector.report(where, reason_of(error))
            return
        if refusal := kind_refused(mode):
            self._collector.report(where, RefusedError(refusal))
        elif stat.S_ISDIR(mode):
            self._descend(folder, name, where, depth + 1)
        else:
            self._collector.offer(where, partial(_read, folder, name))

    def _descend(self, folder: int, name: str, where: str, depth: int) -> None:
        if depth > MAX_DEPTH:
            self._collector.report(
                where, RefusedError(f"lies more than {MAX_DEPTH} folders deep and was not looked into")
            )
            return
        try:
            inner = _open_folder(name, folder)
        except NotADirectoryError:
            self._collector.report(where, UnreadableError("changed while the submission was read; hand it in again"))
            return
        except OSError as error:
            self._collector.report(where, reason_of(error))
            return
        try:
            self.enter(inner, where, depth)
        finally:
            os.close(inner)


def _read(folder: int, name: str, limit: int) -> bytes:
    return read_regular(name, limit, folder)


def looked_at(paths: Collection[str]) -> list[str]:
    """Return the sorted paths without those that a walk skips: hidden, a tool's, the course's own, libraries.

    Takes time in proportion to the paths. Searching each folder in each path would take hours for a large archive.
    """
    names: defaultdict[str, set[str]] = defaultdict(set)
    for path in paths:
        for folder, name in _steps(path):
            names[folder].add(name)
    shut = {folder for folder, inside in names.items() if folder and ENVIRONMENT in inside}
    courses = {folder for folder, inside in names.items() if is_course(inside)}
    return [
        path
        for path in sorted(paths)
        if path
        and not any(is_passed_over(name) for name in path.split("/"))
        and all(folder not in shut and (folder not in courses or name == COURSE_WORK) for folder, name in _steps(path))
    ]


def _steps(path: str) -> Iterator[tuple[str, str]]:
    """Each folder along the path, with the name that is looked up in it; levels beyond MAX_DEPTH are one name."""
    folder = ""
    for name in path.split("/", MAX_DEPTH + 1):
        yield folder, name
        folder = f"{folder}{name}/"
