"""What `kata watch` waits for, each read by a thread: single keys, and files that were saved."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import watchfiles

from grader.files import make_folder
from grader.intake.names import REVIEWS

from .workspace import Work, Workspace

POLL_SECONDS = 0.1
SETTLED_MS = 10
"""Milliseconds without a change after which a save counts: an editor writes a file in several steps."""
LONGEST_MS = 200


@contextlib.contextmanager
def listening(take: Callable[[str], None]) -> Iterator[bool]:
    """Pass each pressed key to `take`, from a thread; yields whether there is a terminal to read keys from.

    Afterwards the terminal is as before, also after a stop in between (Ctrl-Z).
    """
    if not sys.stdin.isatty():
        yield False
        return
    with contextlib.nullcontext(_console_keys) if os.name == "nt" else _terminal_keys() as read:

        def run(ended: threading.Event) -> None:
            while not ended.is_set() and (typed := read()) is not None:
                for key in typed:
                    take(key)

        with _running("keys", run):
            yield True


@contextlib.contextmanager
def watching(workspace: Workspace, take: Callable[[list[Work]], None]) -> Iterator[None]:
    """Pass saved files to `take`, from a thread; files saved at the same time come in one call."""
    reviews = workspace.root / REVIEWS
    make_folder(reviews, below=workspace.root)  # only an existing folder can be watched

    def run(ended: threading.Event) -> None:
        for change in watchfiles.watch(
            workspace.root / "exercises",
            reviews,
            debounce=LONGEST_MS,
            step=SETTLED_MS,
            stop_event=ended,
            raise_interrupt=False,
            ignore_permission_denied=True,
        ):
            saved = {work.path: work for _, path in change if (work := workspace.work_at(Path(path)))}
            if saved:
                take([saved[path] for path in sorted(saved)])

    with _running("saves", run):
        yield


@contextlib.contextmanager
def _running(name: str, run: Callable[[threading.Event], None]) -> Iterator[None]:
    """A thread beside the block; the event that it is given is set at the block's end."""
    ended = threading.Event()
    threading.Thread(target=run, args=(ended,), name=name, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


@contextlib.contextmanager
def _terminal_keys() -> Iterator[Callable[[], str | None]]:
    """Reads the keys of a POSIX terminal, for a short while; None when it has closed."""
    import select
    import termios
    import tty

    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)

    def read() -> str | None:
        if not select.select([fd], [], [], POLL_SECONDS)[0]:
            return ""
        try:
            typed = os.read(fd, 64)
        except OSError:
            return None
        # an arrow or function key is an escape sequence: ignore all of it
        return ("" if typed.startswith(b"\x1b") else typed.decode("utf-8", "ignore")) if typed else None

    def go_on(*_: Any) -> None:
        tty.setcbreak(fd)

    tty.setcbreak(fd)
    former = signal.signal(signal.SIGCONT, go_on)
    try:
        yield read
    finally:
        signal.signal(signal.SIGCONT, former)
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


def _console_keys() -> str:
    """Reads the keys of a Windows console, for a short while."""
    console: Any = importlib.import_module("msvcrt")
    typed = ""
    while console.kbhit():
        key = console.getwch()
        if key in ("\x00", "\xe0"):  # a function key: ignore its second half
            console.getwch()
        else:
            typed += key
    time.sleep(POLL_SECONDS)
    return typed
