"""The one way in which files are written: whole or not at all, and never through a link.

A folder that somebody named (`below`) is taken as it was named. Under it, no component is followed that is a link: the
way down is opened step by step, each step held while the next is taken, so that nothing can be put in between. Where
the system cannot do that (Windows), each step is looked at before it is taken.
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
"""How a file that is being written is called at first; one that is found was left behind by a killed run."""

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_AS_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _CLOEXEC
_IS_LINK = "this is a link, and nothing is written through links: take it away"
_NEEDED = {os.open, os.mkdir, os.rename, os.unlink, os.stat}

STEP_BY_STEP = os.supports_dir_fd >= _NEEDED and hasattr(os, "O_DIRECTORY") and bool(_NOFOLLOW)
"""Whether this system opens a name within an open folder."""


class LinkInTheWay(OSError):
    """A link stands where something would be written; as every OSError it names the place."""

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
    """Write a file whole or not at all; missing folders are made. A link in its place is replaced, not followed.

    below: the folder that was named, or the program's own; by default the one that the file is in.
    synced: it outlasts a power cut, too.
    mode: its rights, less the user's mask.

    Raises LinkInTheWay, and OSError when it cannot be written; then the old file is as it was.
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
    """Write a file that somebody named as output, in a folder that is there.

    A pipe or a device is written to, a link is refused. Raises LinkInTheWay and OSError.
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
    """The descriptor of a file to be read and appended to, made if need be. Raises LinkInTheWay and OSError."""
    with _folder(path.parent, below) as folder, _telling(path):
        if folder.is_link(path.name):
            raise LinkInTheWay(path)
        return folder.open(path.name, os.O_RDWR | os.O_CREAT | os.O_APPEND)


def move_file(source: Path, target: Path, *, below: Path | None = None) -> None:
    """Move a file to another place below a folder, whatever it is: a link is moved, not what it leads to.

    Raises LinkInTheWay for a link on the way to either place, and OSError.
    """
    with _folder(source.parent, below) as here, _folder(target.parent, below) as there, _telling(target):
        here.rename(source.name, there, target.name)


def make_folder(path: Path, *, below: Path | None = None) -> None:
    """Make a folder and those on the way to it, as far as they are missing. Raises LinkInTheWay and OSError."""
    with _folder(path, below):
        pass


def lock_at(path: Path, *, below: Path | None = None, seconds: float = -1) -> FileLock:
    """A lock that is a file at this place, in a folder that is made if need be; not taken yet.

    seconds: how long it is waited for; for ever by default. Raises LinkInTheWay and OSError.
    """
    with _folder(path.parent, below) as folder, _telling(path):
        try:
            there = folder.look(path.name)
        except FileNotFoundError:
            there = None
    if there is not None and (not stat.S_ISREG(there.st_mode) or there.st_nlink > 1):
        raise LinkInTheWay(path)  # older versions of filelock empty whatever it leads to
    return FileLock(str(path), timeout=seconds)


def remove_unfinished(folder: Path) -> None:
    """Take away what a killed run left half written in a folder that nobody else writes to now."""
    for left in folder.glob(f"{UNFINISHED}*"):
        with suppress(OSError):
            left.unlink()


def sync_folder(folder: Path) -> None:
    """Make names that were given or changed in a folder outlast a power cut, where the system can."""
    with suppress(OSError), _folder(folder, folder) as opened:
        opened.sync()


@dataclass(frozen=True)
class _Folder:
    """A folder on the way: open, or where the system has no such thing its path."""

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
        """The folder of that name in this one, made when it is missing. Raises LinkInTheWay, OSError."""
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
    """A folder for as long as something is written in it; what is missing is made, no link below `below` followed."""
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
    """The mode of what is at a place, links not followed; None when nothing is."""
    try:
        return os.lstat(path).st_mode
    except FileNotFoundError:
        return None


def _leads_elsewhere(found: os.stat_result) -> bool:
    """Whether it is a link, or what Windows has of that kind."""
    junction = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)
    return stat.S_ISLNK(found.st_mode) or (junction is not None and getattr(found, "st_reparse_tag", 0) == junction)


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    """Errors name the whole place, not a name within a folder."""
    try:
        yield
    except LinkInTheWay:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
