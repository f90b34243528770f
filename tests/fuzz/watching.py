"""Looks on while a target runs: nothing of what came in is executed, and no file outside of its scratch is touched."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SHARED_MEMORY = Path("/dev/shm")
MAX_SENTENCE = 4000

# What our own code reads at run time: itself, its libraries, the course, the system's time zones.
_OURS = tuple(map(os.path.realpath, (sys.prefix, sys.base_prefix, ROOT, "/usr")))
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_NEVER = {
    *("os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "subprocess.Popen"),
    *("socket.connect", "socket.bind", "socket.getaddrinfo", "pickle.find_class", "ctypes.dlopen", "code.__new__"),
}


class Escaped(BaseException):
    """Something was done that reading a file must never do. Not an Exception, so that nobody handles it."""


_is_watching = False
_seen: list[str] = []


def _notice(event: str, arguments: tuple[Any, ...]) -> None:
    if not _is_watching:
        return
    if event in _NEVER or (event == "open" and not _may_open(*arguments)) or not _may_run(event, arguments):
        _seen.append(f"{event}{arguments!r}"[:300])
        raise Escaped(_seen[-1])


def _may_open(path: Any, mode: str | None, flags: int | None) -> bool:
    if not isinstance(path, (str, bytes)):
        return True  # a descriptor that is open already
    name = os.fsdecode(path)
    is_written = bool((flags or 0) & _WRITES) or (mode is not None and set(mode) & set("wax+"))
    if not os.path.isabs(name):
        return not is_written
    scratch = os.path.realpath(scratch_root())
    if os.path.realpath(name).startswith(scratch) or os.path.realpath(os.path.dirname(name)).startswith(scratch):
        return True
    return not is_written and (name == os.devnull or os.path.realpath(name).startswith(_OURS))


def _may_run(event: str, arguments: tuple[Any, ...]) -> bool:
    """Code is run only when one of our libraries is imported, never from a text."""
    if event not in ("compile", "exec"):
        return True
    file = arguments[1] if event == "compile" else arguments[0].co_filename
    name = os.fsdecode(file) if isinstance(file, (str, bytes)) else ""
    return name.startswith("<frozen") or (os.path.isabs(name) and os.path.realpath(name).startswith(_OURS))


@cache
def _install() -> None:
    sys.addaudithook(_notice)  # for good: a hook cannot be taken away


@contextmanager
def watched() -> Iterator[None]:
    """In here Escaped is raised when code is run, or a file opened, that is none of ours."""
    global _is_watching
    _install()
    _seen.clear()
    _is_watching = True
    try:
        yield
    finally:
        _is_watching = False
    if _seen:  # raised, and swallowed on the way
        raise Escaped(_seen[0])


@cache
def scratch_root() -> Path:
    """This process' own folder, in memory where there is such a place; it goes when the process ends."""
    place = SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="kata-fuzz-", dir=place))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def scratch() -> Path:
    """An empty folder."""
    folder = scratch_root() / "input"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def assert_sentence(text: str) -> None:
    """A text for people: something is said, on one line, with no character that a terminal takes for a command."""
    assert text.strip(), "nothing is said"
    harmless = (unicodedata.category(each) == "Zs" or each in "\u200c\u200d" for each in text if not each.isprintable())
    assert all(harmless), ascii(text[:300])
    assert len(text) <= MAX_SENTENCE, len(text)
    assert "Traceback" not in text
