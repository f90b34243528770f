"""Writes files: beside their place first, then moved there whole. Below a folder that was named, links are refused."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from filelock import FileLock

UNFINISHED = ".kata-unfinished-"
"""Prefix of a file while it is being written; one that is found later was left behind by a killed run."""

_IS_LINK = "this is a link, and nothing is written through links: take it away"


def write_file(path: Path, content: bytes | Iterable[bytes], *, below: Path | None = None, mode: int = 0o666) -> None:
    """Write a file whole or not at all; it survives a power failure. Missing folders are made, a link is replaced.

    below: the folder that the user named; links on the way from there are refused. By default the file's own folder.
    mode: the file's permissions, before the umask.
    Raises OSError with the path; then the old file is unchanged.
    """
    make_folder(path.parent, below=below)
    fresh = path.with_name(f"{UNFINISHED}{secrets.token_hex(6)}")
    try:
        with open(
            os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode), "wb"
        ) as file:
            file.writelines([content] if isinstance(content, bytes) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
        _sync(path.parent)
    except BaseException as error:
        with suppress(OSError):
            fresh.unlink()
        if isinstance(error, OSError) and error.filename in (None, str(fresh)):
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


def write_output(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Write the file that a user named, in a folder that exists; into a pipe or device too. Raises OSError."""
    refuse_link(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if not path.exists() or path.is_file() or path.is_dir():
        write_file(path, content)
        return
    with open(path, "wb") as file:
        file.writelines([content] if isinstance(content, bytes) else content)


def move_file(source: Path, target: Path, *, below: Path | None = None) -> None:
    """Move a file; a link is moved itself. Raises OSError, also for a link on the way to either place."""
    make_folder(source.parent, below=below)
    make_folder(target.parent, below=below)
    os.replace(source, target)


def make_folder(path: Path, *, below: Path | None = None) -> None:
    """Make a folder and what is missing above it. Raises OSError, also for a link between `below` and it."""
    top = path if below is None else below
    top.mkdir(parents=True, exist_ok=True)
    for part in Path(os.path.abspath(path)).relative_to(os.path.abspath(top)).parts:
        top = top / part
        refuse_link(top)
        top.mkdir(exist_ok=True)


def lock_at(path: Path, *, below: Path | None = None, seconds: float = -1) -> FileLock:
    """A lock file at this path, not yet taken. seconds: how long to wait for it, forever by default. Raises OSError."""
    make_folder(path.parent, below=below)
    refuse_link(path)
    return FileLock(str(path), timeout=seconds)


def _sync(folder: Path) -> None:
    """Make new names in a folder survive a power failure, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)


def refuse_link(path: Path) -> None:
    """Raise OSError for a symbolic link, a Windows junction, or a file that has a second name."""
    with suppress(FileNotFoundError):
        found = os.lstat(path)
        junction = getattr(found, "st_reparse_tag", 0) == getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)
        if stat.S_ISLNK(found.st_mode) or junction or (stat.S_ISREG(found.st_mode) and found.st_nlink > 1):
            raise OSError(errno.ELOOP, _IS_LINK, str(path))
