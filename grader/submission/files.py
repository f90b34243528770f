"""Opening and reading a file without following a link, waiting on a device or reading more than asked for."""

from __future__ import annotations

import errno
import os
import stat

from grader.submission.model import RefusedError, UnreadableError

# Not every system has every flag; each is a second wall behind the look at the file's kind.
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
    if error.errno in (errno.ELOOP, errno.EMLINK):  # what O_NOFOLLOW says about a link
        return RefusedError("is a link; hand in the file itself")
    if isinstance(error, PermissionError):
        return UnreadableError("cannot be opened: permission denied")
    if isinstance(error, FileNotFoundError):
        return UnreadableError("went away while the submission was read; hand it in again")
    return UnreadableError(f"cannot be read: {error.strerror or 'unknown error'}")


def kind_refused(mode: int) -> str | None:
    """Return why a thing of this mode is not read, to follow its name in a sentence; None if it may be."""
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
        UnreadableError: the system does not let us.
    """
    try:
        # Looked at before opening, as opening a device may already do something, and once more after, as it
        # may be another file by then.
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
    """Return an ordinary file's bytes, at most one more than `limit`, which tells that there are more.

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
