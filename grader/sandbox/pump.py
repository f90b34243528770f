"""One thread that moves bytes between the judge and the pipes of its workers, and notes when they came."""

from __future__ import annotations

import contextlib
import os
import selectors
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

AT_ONCE_SECONDS = 0.0005
"""What a look finds that waits no longer than this was there before: it came since the look before, not now."""


class Channel(Protocol):
    """What the thread needs of a worker."""

    def readable(self) -> tuple[int, ...]: ...

    def writable(self) -> int | None: ...

    def read(self, fd: int, at: float) -> None: ...

    def write(self) -> None: ...

    def release(self) -> None: ...


class Pump:
    """Reads and writes for all workers of one sandbox. Everything about descriptors happens in its own thread."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._woken, self._wake = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(self._wake, False)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._orders: deque[Callable[[], None]] = deque()
        self._watched: dict[Channel, set[int]] = {}
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="kata pump", daemon=True)
        self._thread.start()

    def look_after(self, channel: Channel) -> None:
        """Read and write for this one from now on, or look again what it wants."""
        self._order(lambda: self._watch(channel))

    def let_go(self, channel: Channel) -> None:
        """Do no more for this one; its descriptors are closed."""
        self._order(lambda: self._drop(channel))

    def close(self) -> None:
        """Let go of all, and end."""
        self._is_closed = True
        self._order(lambda: None)
        self._thread.join()

    def _order(self, order: Callable[[], None]) -> None:
        self._orders.append(order)
        with contextlib.suppress(BlockingIOError, OSError):  # full: it is awake; closed: nothing left to do
            os.write(self._wake, b"x")

    def _run(self) -> None:
        looked = time.monotonic()
        while not self._is_closed:
            before = time.monotonic()
            events = self._selector.select()
            now = time.monotonic()
            at = looked if now - before < AT_ONCE_SECONDS else now
            looked = now
            for key, mask in events:
                if key.data is None:
                    self._obey()
                else:
                    self._serve(key.data, key.fd, mask, at)
        self._obey()
        for channel in list(self._watched):
            self._drop(channel)
        self._selector.close()
        os.close(self._woken)
        os.close(self._wake)

    def _obey(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._woken, 4096)
        while self._orders:
            self._orders.popleft()()

    def _serve(self, channel: Channel, fd: int, mask: int, at: float) -> None:
        if channel not in self._watched:
            return  # let go of in this very turn
        if mask & selectors.EVENT_READ:
            channel.read(fd, at)
        if mask & selectors.EVENT_WRITE:
            channel.write()
        self._watch(channel)

    def _watch(self, channel: Channel) -> None:
        wanted = dict.fromkeys(channel.readable(), selectors.EVENT_READ)
        writable = channel.writable()
        if writable is not None:
            wanted[writable] = selectors.EVENT_WRITE
        watched = self._watched.setdefault(channel, set())
        for fd in watched - wanted.keys():
            self._selector.unregister(fd)
        for fd in wanted.keys() - watched:
            self._selector.register(fd, wanted[fd], channel)
        self._watched[channel] = set(wanted)

    def _drop(self, channel: Channel) -> None:
        for fd in self._watched.pop(channel, set()):
            self._selector.unregister(fd)
        channel.release()
