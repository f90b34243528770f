"""Looks on while a target runs: nothing of what came in is executed, and no file outside of its scratch is touched."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SHARED_MEMORY = Path("/dev/shm")

# What our own code reads at run time: itself, its libraries, the course, the system's time zones.
_OURS = tuple(map(os.path.realpath, (sys.prefix, sys.base_prefix, ROOT, "/usr")))
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_NEVER = frozenset(
    {
        "os.system",
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.posix_spawn",
        "os.spawn",
        "subprocess.Popen",
        "socket.connect",
        "socket.bind",
        "socket.getaddrinfo",
        "pickle.find_class",
        "ctypes.dlopen",
        "code.__new__",
    }
)


class Escaped(BaseException):
    """Something was done that reading a file must never do. Not an Exception, so that nobody handles it."""


class _Watch:
    def __init__(self) -> None:
        self.is_on = False
        self.seen: list[str] = []
        self.is_installed = False

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_on:
            return
        if event in _NEVER or (event == "open" and not _may_open(*arguments)) or not _may_run(event, arguments):
            self.seen.append(f"{event}{arguments!r}"[:300])
            raise Escaped(self.seen[-1])


def _may_open(path: Any, mode: str | None, flags: int | None) -> bool:
    if not isinstance(path, (str, bytes)):
        return True  # a descriptor that is open already
    name = os.fsdecode(path)
    is_written = bool((flags or 0) & _WRITES) or (mode is not None and set(mode) & set("wax+"))
    if not os.path.isabs(name):
        return not is_written or _is_by_the_writer()  # relative to an open folder
    scratch = os.path.realpath(scratch_root())
    if os.path.realpath(name).startswith(scratch) or os.path.realpath(os.path.dirname(name)).startswith(scratch):
        return True
    return not is_written and (name == os.devnull or os.path.realpath(name).startswith(_OURS))


def _is_by_the_writer() -> bool:
    """Whether it is grader/writing.py that opens a file, within a folder that it was allowed to open."""
    writer = str(ROOT / "grader" / "writing.py")
    return any(frame.f_code.co_filename == writer for frame in _callers(sys._getframe()))


def _callers(frame: FrameType | None) -> Iterator[FrameType]:
    for _ in range(8):
        if frame is not None:
            yield frame
            frame = frame.f_back


def _may_run(event: str, arguments: tuple[Any, ...]) -> bool:
    """Code is run only when one of our libraries is imported, never from a text."""
    if event == "compile":
        file = arguments[1]
    elif event == "exec":
        file = arguments[0].co_filename
    else:
        return True
    name = os.fsdecode(file) if isinstance(file, (str, bytes)) else ""
    return name.startswith("<frozen") or (os.path.isabs(name) and os.path.realpath(name).startswith(_OURS))


_WATCH = _Watch()
_SCRATCH: list[Path] = []


@contextmanager
def watched() -> Iterator[None]:
    """In here Escaped is raised when code is run, or a file opened, that is none of ours."""
    if not _WATCH.is_installed:
        sys.addaudithook(_WATCH.hear)  # for good: a hook cannot be taken away
        _WATCH.is_installed = True
    _WATCH.seen.clear()
    _WATCH.is_on = True
    try:
        yield
    finally:
        _WATCH.is_on = False
    if _WATCH.seen:  # raised, and swallowed on the way
        raise Escaped(_WATCH.seen[0])


def scratch_root() -> Path:
    """This process' own folder, in memory where there is such a place; it goes when the process ends."""
    if not _SCRATCH:
        place = SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None
        _SCRATCH.append(Path(tempfile.mkdtemp(prefix="kata-fuzz-", dir=place)))
        atexit.register(shutil.rmtree, _SCRATCH[0], ignore_errors=True)
    return _SCRATCH[0]


def scratch() -> Path:
    """An empty folder."""
    folder = scratch_root() / "input"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder
