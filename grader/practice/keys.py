"""Single keys from a terminal, without waiting for the return key."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

POLL_SECONDS = 0.1


@contextlib.contextmanager
def listening(take: Callable[[str], None]) -> Iterator[bool]:
    """Hand every key that is pressed to `take`, from a thread of its own; says whether there is a terminal to hear.

    The terminal is as before afterwards, also after a stop in between (Ctrl-Z).
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
            except OSError:  # the terminal is gone
                return
            if not typed:
                return
            # an arrow or function key comes as an escape and more letters, which are no keys of ours
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
                if key in ("\x00", "\xe0"):  # a function key: its second half is no key of ours
                    console.getwch()
                else:
                    take(key)

    threading.Thread(target=listen, name="keys", daemon=True).start()
    try:
        yield
    finally:
        ended.set()
