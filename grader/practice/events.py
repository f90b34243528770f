"""The events of `kata watch`: saved files and pressed keys, in order.

One thread watches files, another reads single keys. Events that come while the watch is busy wait; several saves of a
file become one.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import watchfiles

from grader.intake.names import REVIEWS
from grader.writing import make_folder

from .workspace import Work, Workspace


@dataclass(frozen=True)
class Saved:
    """These files were saved; each is listed once."""

    works: tuple[Work, ...]


@dataclass(frozen=True)
class Pressed:
    """This key was pressed."""

    key: str


class Inbox:
    """A queue of events: filled by the listening threads, emptied by the grading one."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._saved: dict[Path, Work] = {}
        self._keys: deque[str] = deque()

    def save(self, works: Iterable[Work]) -> None:
        """Add saved files."""
        with self._changed:
            self._saved.update({work.path: work for work in works})
            self._changed.notify()

    def press(self, key: str) -> None:
        """Add a pressed key."""
        with self._changed:
            self._keys.append(key)
            self._changed.notify()

    def take(self) -> Saved | Pressed:
        """Wait for the next event. Keys come before saves, because a key may be the one that quits."""
        with self._changed:
            self._changed.wait_for(lambda: self._keys or self._saved)
            if self._keys:
                return Pressed(self._keys.popleft())
            saved, self._saved = tuple(self._saved.values()), {}
            return Saved(saved)

    def was_saved_again(self, works: Iterable[Work]) -> bool:
        """Whether one of these was saved again since it was taken."""
        with self._changed:
            return any(work.path in self._saved for work in works)


POLL_SECONDS = 0.1


@contextlib.contextmanager
def listening(take: Callable[[str], None]) -> Iterator[bool]:
    """Pass each pressed key to `take`, from a thread; yields whether there is a terminal to read keys from.

    Afterwards the terminal is as before, also after a stop in between (Ctrl-Z).
    """
    if not sys.stdin.isatty():
        yield False
    elif os.name == "nt":
        with _listening_on_windows(take):
            yield True
    else:
        with _listening_on_posix(take):
            yield True


@contextlib.contextmanager
def _listening_on_posix(take: Callable[[str], None]) -> Iterator[None]:
    import select
    import termios
    import tty

    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)
    ended = threading.Event()

    def listen() -> None:
        while not ended.is_set():
            ready, _, _ = select.select([fd], [], [], POLL_SECONDS)
            if not ready:
                continue
            try:
                typed = os.read(fd, 64)
            except OSError:  # the terminal has closed
                return
            if not typed:
                return
            # an arrow or function key is an escape sequence: ignore all of it
            for key in "" if typed.startswith(b"\x1b") else typed.decode("utf-8", "ignore"):
                take(key)

    def go_on(*_: Any) -> None:
        tty.setcbreak(fd)

    tty.setcbreak(fd)
    former = signal.signal(signal.SIGCONT, go_on)
    thread = threading.Thread(target=listen, name="keys", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        signal.signal(signal.SIGCONT, former)
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


@contextlib.contextmanager
def _listening_on_windows(take: Callable[[str], None]) -> Iterator[None]:
    import importlib

    console: Any = importlib.import_module("msvcrt")
    ended = threading.Event()

    def listen() -> None:
        while not ended.wait(POLL_SECONDS):
            while console.kbhit():
                key = console.getwch()
                if key in ("\x00", "\xe0"):  # a function key: ignore its second half
                    console.getwch()
                else:
                    take(key)

    threading.Thread(target=listen, name="keys", daemon=True).start()
    try:
        yield
    finally:
        ended.set()


SETTLED_MS = 10
"""Milliseconds without a change after which a save counts: an editor writes a file in several steps."""

LONGEST_MS = 200


@contextlib.contextmanager
def watching(workspace: Workspace, take: Callable[[list[Work]], None]) -> Iterator[None]:
    """Pass saved files to `take`; files saved at the same time come in one call."""
    reviews = workspace.root / REVIEWS
    make_folder(reviews, below=workspace.root)  # only an existing folder can be watched
    ended = threading.Event()
    started = threading.Event()

    def watch() -> None:
        started.set()
        changes = watchfiles.watch(
            workspace.root / "exercises",
            reviews,
            debounce=LONGEST_MS,
            step=SETTLED_MS,
            stop_event=ended,
            raise_interrupt=False,
            rust_timeout=500,
            ignore_permission_denied=True,
        )
        for change in changes:
            saved = {work.path: work for _, path in change if (work := workspace.work_at(Path(path)))}
            if saved:
                take([saved[path] for path in sorted(saved)])

    thread = threading.Thread(target=watch, name="saves", daemon=True)
    thread.start()
    started.wait()
    try:
        yield
    finally:
        ended.set()
