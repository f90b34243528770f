"""Pipes that nobody waits for, on every system: a thread a pipe, as not every system can wait for several."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable
from io import FileIO

CHUNK = 1 << 16


class Incoming:
    """Hands on what comes out of a pipe, with the moment at which it came, until the pipe ends."""

    def __init__(self, pipe: FileIO, take: Callable[[bytes, float], None], end: Callable[[float], None]) -> None:
        self._pipe = pipe
        self._take = take
        self._end = end
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def await_end(self, seconds: float) -> None:
        """Wait until all of it has been handed on, or for so long."""
        self._thread.join(seconds)

    def _run(self) -> None:
        with contextlib.suppress(OSError), self._pipe:
            while part := self._pipe.read(CHUNK):
                self._take(part, time.monotonic())
        self._end(time.monotonic())


class Outgoing:
    """Writes into a pipe what it is given, in order; nobody waits for it."""

    def __init__(self, pipe: FileIO) -> None:
        self._pipe = pipe
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()

    def give(self, frame: bytes) -> None:
        """Have a whole frame written. When nobody reads it, whoever waits for an answer hears of that."""
        self._waiting.put(frame)

    def stop(self) -> None:
        """Write no more; a write that is under way ends when the pipe does."""
        self._waiting.put(None)

    def _run(self) -> None:
        with contextlib.suppress(OSError), self._pipe:  # Windows has other names than EPIPE for it
            while (frame := self._waiting.get()) is not None:
                view = memoryview(frame)
                while view:
                    view = view[self._pipe.write(view[:CHUNK]) :]
