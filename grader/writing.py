"""Writes files atomically, and never through a link.

A folder named by the user (`below`) is taken as named. Below it no link is followed: the path is opened step by step,
and each folder is kept open while the next is opened, so that nothing can be swapped in between. Where the system
cannot do that (Windows), each step is checked before it is taken.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

UNFINISHED = ".kata-unfinished-"
"""Prefix of temporary names while a file is being written; one found later was left behind by a killed run."""

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_AS_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _CLOEXEC
_IS_LINK = "this is a link, and nothing is written through links: take it away"
_NEEDED = {os.open, os.mkdir, os.rename, os.unlink, os.stat}

STEP_BY_STEP = os.supports_dir_fd >= _NEEDED and hasattr(os, "O_DIRECTORY") and bool(_NOFOLLOW)
"""Whether this system can open a name relative to an open folder."""


class LinkInTheWay(OSError):
    """There is a link where something would be written; like every OSError, it names the path."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.ELOOP, _IS_LINK, str(path))


def write_file(
    path: Path,
    content: bytes | Iterable[bytes],
    *,
    below: Path | None = None,
    synced: bool = False,
    mode: int = 0o666,
) -> None:
    """Write a file atomically; missing folders are created. A link in its place is replaced, not followed.

    below: the folder that the user named, or the program's own; by default the file's folder.
    synced: also survive a power failure.
    mode: its permissions, before the umask.
    Raises LinkInTheWay, and OSError when it cannot be written; then the old file is unchanged.
    """
    parts = [content] if isinstance(content, bytes) else content
    with _folder(path.parent, below) as folder, _telling(path):
        fresh = f"{UNFINISHED}{secrets.token_hex(6)}"
        try:
            with open(folder.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
                file.writelines(parts)
                if synced:
                    file.flush()
                    os.fsync(file.fileno())
            folder.rename(fresh, folder, path.name)
        except BaseException:
            with suppress(OSError):
                folder.remove(fresh)
            raise
        if synced:
            folder.sync()


def write_output(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Write an output file named by the user, in an existing folder.

    Pipes and devices are written to, links are refused. Raises LinkInTheWay and OSError.
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    kind = _kind_at(path)
    if kind is not None and stat.S_ISLNK(kind):
        raise LinkInTheWay(path)
    if kind is None or stat.S_ISREG(kind) or stat.S_ISDIR(kind):
        write_file(path, content)
        return
    with open(os.open(path, os.O_WRONLY | _NOFOLLOW | _CLOEXEC), "wb") as file:
        file.writelines([content] if isinstance(content, bytes) else content)


def open_to_append(path: Path, *, below: Path | None = None) -> int:
    """Open a file for reading and appending, creating it if need be. Raises LinkInTheWay and OSError."""
    with _folder(path.parent, below) as folder, _telling(path):
        if folder.is_link(path.name):
            raise LinkInTheWay(path)
        return folder.open(path.name, os.O_RDWR | os.O_CREAT | os.O_APPEND)


def move_file(source: Path, target: Path, *, below: Path | None = None) -> None:
    """Move a file to another place below a folder; a link is moved itself, not its target.

    Raises LinkInTheWay for a link on the way to either place, and OSError.
    """
    with _folder(source.parent, below) as here, _folder(target.parent, below) as there, _telling(target):
        here.rename(source.name, there, target.name)


def make_folder(path: Path, *, below: Path | None = None) -> None:
    """Create a folder and its missing parents. Raises LinkInTheWay and OSError."""
    with _folder(path, below):
        pass


def lock_at(path: Path, *, below: Path | None = None, seconds: float = -1) -> FileLock:
    """A lock file at this path, in a folder that is created if need be; not yet acquired.

    seconds: timeout for acquiring it; none by default. Raises LinkInTheWay and OSError.
    """
    with _folder(path.parent, below) as folder, _telling(path):
        try:
            there = folder.look(path.name)
        except FileNotFoundError:
            there = None
    if there is not None and (not stat.S_ISREG(there.st_mode) or there.st_nlink > 1):
        raise LinkInTheWay(path)  # older versions of filelock truncate the link's target
    return FileLock(str(path), timeout=seconds)


def remove_unfinished(folder: Path) -> None:
    """Remove temporary files of a killed run from a folder that no other process writes to."""
    for left in folder.glob(f"{UNFINISHED}*"):
        with suppress(OSError):
            left.unlink()


def sync_folder(folder: Path) -> None:
    """Make new and changed names in a folder survive a power failure, where the system can."""
    with suppress(OSError), _folder(folder, folder) as opened:
        opened.sync()


@dataclass(frozen=True)
class _Folder:
    """A folder along a path: open, or only its path where the system cannot open names relative to folders."""

    path: Path
    descriptor: int | None

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        return os.open(self._at(name), flags | _NOFOLLOW | _CLOEXEC | _BINARY, mode, dir_fd=self.descriptor)

    def rename(self, name: str, folder: _Folder, new: str) -> None:
        os.replace(self._at(name), folder._at(new), src_dir_fd=self.descriptor, dst_dir_fd=folder.descriptor)

    def remove(self, name: str) -> None:
        os.unlink(self._at(name), dir_fd=self.descriptor)

    def look(self, name: str) -> os.stat_result:
        return os.stat(self._at(name), dir_fd=self.descriptor, follow_symlinks=False)

    def is_link(self, name: str) -> bool:
        try:
            found = self.look(name)
        except FileNotFoundError:
            return False
        return _leads_elsewhere(found)

    def sync(self) -> None:
        with suppress(OSError):
            if self.descriptor is not None:
                os.fsync(self.descriptor)

    def enter(self, name: str) -> _Folder:
        """Open the subfolder of that name, created if it is missing. Raises LinkInTheWay, OSError."""
        path = self.path / name
        with _telling(path):
            if self.is_link(name):
                raise LinkInTheWay(path)
            with suppress(FileExistsError):
                os.mkdir(self._at(name), dir_fd=self.descriptor)
            if self.descriptor is None:
                if not path.is_dir():
                    raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
                return _Folder(path, None)
            return _Folder(path, os.open(name, _AS_FOLDER | _NOFOLLOW, dir_fd=self.descriptor))

    def close(self) -> None:
        if self.descriptor is not None:
            os.close(self.descriptor)

    def _at(self, name: str) -> str:
        return name if self.descriptor is not None else str(self.path / name)


@contextmanager
def _folder(path: Path, below: Path | None) -> Iterator[_Folder]:
    """Open a folder for the duration of the block; missing ones are created, and no link below `below` is followed."""
    below = path if below is None else below
    steps = Path(os.path.abspath(path)).relative_to(os.path.abspath(below)).parts
    below.mkdir(parents=True, exist_ok=True)
    folder = _Folder(below, os.open(below, _AS_FOLDER) if STEP_BY_STEP else None)
    try:
        for step in steps:
            inner = folder.enter(step)
            folder.close()
            folder = inner
        yield folder
    finally:
        folder.close()


def _kind_at(path: Path) -> int | None:
    """The mode of a file, links not followed; None when it does not exist."""
    try:
        return os.lstat(path).st_mode
    except FileNotFoundError:
        return None


def _leads_elsewhere(found: os.stat_result) -> bool:
    """Whether it is a link, or a Windows junction."""
    junction = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)
    return stat.S_ISLNK(found.st_mode) or (junction is not None and getattr(found, "st_reparse_tag", 0) == junction)


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    """Make errors report the full path instead of a name relative to a folder."""
    try:
        yield
    except LinkInTheWay:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
