"""Opens ordinary files only: follows no link, waits on no device, reads no more than it is asked for."""

from __future__ import annotations

import errno
import os
import stat

from .submission import UnreadableError

# Not every system has every flag; each is a second safeguard after the check of the file's mode.
_FLAGS = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"))
_A_LINK = "is a link; hand in the file itself"


def reason_of(error: OSError) -> UnreadableError:
    """An operating system's error in a learner's words."""
    if error.errno in (errno.ELOOP, errno.EMLINK):  # with O_NOFOLLOW, these mean a link
        return UnreadableError(_A_LINK, "refused")
    if isinstance(error, PermissionError):
        return UnreadableError("cannot be opened: permission denied")
    if isinstance(error, FileNotFoundError):
        return UnreadableError("went away while the submission was read; hand it in again")
    return UnreadableError(f"cannot be read: {error.strerror or 'unknown error'}")


def refuse_special(mode: int) -> None:
    """Raise UnreadableError if a file of this mode is neither an ordinary file nor a folder."""
    if stat.S_ISLNK(mode):
        raise UnreadableError(_A_LINK, "refused")
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise UnreadableError("is not an ordinary file (a pipe, a socket or a device)", "refused")


def open_regular(path: str | os.PathLike[str]) -> int:
    """Open an ordinary file for reading and return its descriptor. Raises UnreadableError."""
    try:
        refuse_special(os.lstat(path).st_mode)  # before, because opening a device may already have an effect
        descriptor = os.open(path, os.O_RDONLY | _FLAGS)
        mode = os.fstat(descriptor).st_mode  # and after, because it may be another file now
    except OSError as error:
        raise reason_of(error) from None
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise UnreadableError("is not an ordinary file", "refused")
    return descriptor


def read_regular(path: str | os.PathLike[str], limit: int) -> bytes:
    """An ordinary file's bytes, at most `limit` + 1, where the extra byte means more. Raises UnreadableError."""
    try:
        with open(open_regular(path), "rb") as file:
            return file.read(limit + 1)
    except OSError as error:
        raise reason_of(error) from None
