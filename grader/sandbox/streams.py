"""Pipes with a deadline on every system: a thread a pipe, as not every system can wait for a pipe."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable
from io import FileIO

from .inside import wire

ROOM = 1 << 20
"""Bytes that are taken from a pipe before anybody asks for them."""
CHUNK = 1 << 16


class Incoming:
    """What comes out of a pipe."""

    def __init__(self, pipe: FileIO) -> None:
        self._pipe = pipe
        self._arrived = bytearray()
        self._changed = threading.Condition()
        self._is_over = False
        threading.Thread(target=self._run, daemon=True).start()

    def take(self, size: int, deadline: float) -> bytes:
        """Exactly so many bytes. Raises ChannelClosed when there will not be as many, DeadlinePassed at `deadline`."""
        parts = bytearray()
        with self._changed:
            while len(parts) < size:
                left = max(0.0, deadline - time.monotonic())
                if not self._changed.wait_for(lambda: self._arrived or self._is_over, left):
                    raise wire.DeadlinePassed
                if not self._arrived:
                    raise wire.ChannelClosed
                missing = size - len(parts)
                parts += self._arrived[:missing]
                del self._arrived[:missing]
                self._changed.notify_all()
        return bytes(parts)

    def stop(self) -> None:
        """Take no more; the thread ends when the pipe does."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def _run(self) -> None:
        with contextlib.suppress(OSError), self._pipe:
            while part := self._pipe.read(CHUNK):
                with self._changed:
                    self._changed.wait_for(lambda: len(self._arrived) < ROOM or self._is_over)
                    if not self._is_over:
                        self._arrived += part
                        self._changed.notify_all()
        self.stop()


class Outgoing:
    """What goes into a pipe."""

    def __init__(self, pipe: FileIO) -> None:
        self._pipe = pipe
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._written: queue.SimpleQueue[bool] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()

    def give(self, frame: bytes, deadline: float) -> None:
        """Write a whole frame. Raises ChannelClosed when nobody reads it, DeadlinePassed at `deadline`: then stop."""
        self._waiting.put(frame)
        try:
            was_taken = self._written.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise wire.DeadlinePassed from None
        if not was_taken:
            raise wire.ChannelClosed

    def stop(self) -> None:
        """Write no more; a write that is under way ends when the pipe does."""
        self._waiting.put(None)

    def _run(self) -> None:
        with contextlib.suppress(OSError), self._pipe:
            while (frame := self._waiting.get()) is not None:
                self._written.put(self._write(frame))

    def _write(self, frame: bytes) -> bool:
        view = memoryview(frame)
        try:
            while view:
                view = view[self._pipe.write(view[:CHUNK]) :]
        except OSError:  # Windows has other names than EPIPE for it
            return False
        return True


class Watched:
    """A pipe whose bytes are only looked at, until it ends."""

    def __init__(self, pipe: FileIO, look: Callable[[bytes], None]) -> None:
        self._pipe = pipe
        self._look = look
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def await_end(self, seconds: float) -> None:
        """Wait until all of it has been looked at, or for so long."""
        self._thread.join(seconds)

    def _run(self) -> None:
        with contextlib.suppress(OSError), self._pipe:
            while part := self._pipe.read(CHUNK):
                self._look(part)
