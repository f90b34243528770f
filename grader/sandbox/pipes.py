"""Messages to and from workers: one thread moves the bytes, and records when each answer arrived.

Time is counted where bytes arrive, not where they are read by the judge: so a file is charged the same seconds whatever
else the judge is busy with.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from .inside import wire

Parts = tuple[bytes, bytes]
"""One message as it came, for wire.unpack."""

MOST_WAITING_BYTES = 16 * 1024 * 1024
"""Limit for messages that the judge has not taken yet; above it nothing more is read. Right answers need a fiftieth."""


@dataclass(frozen=True)
class Message:
    """One message; the seconds that the worker took for it, and for all its answers up to and including it."""

    parts: Parts
    seconds: float
    spent: float


class Mailbox:
    """The messages of one worker. `changed` is notified, with its lock held, on every change."""

    def __init__(self, most_block_bytes: int, preliminaries: int) -> None:
        """preliminaries: how many messages the worker sends before a learner's code is involved; they cost no time."""
        self.changed = threading.Condition()
        self.most_block_bytes = most_block_bytes
        self.fault: Exception | None = None
        """Why reading stopped: invalid messages, or too many bytes."""
        self.is_over = False
        self.came = 0
        self._preliminaries = preliminaries
        self._unread = bytearray()
        self._needed = wire.PREFIX.size
        self._sizes: tuple[int, int] | None = None
        self._messages: deque[Message] = deque()
        self._waiting_bytes = 0
        self._unanswered = 0
        self._since: float | None = None
        self._began = 0.0
        self._spent = 0.0

    # --- called by the thread that reads the pipe ----------------------------------------------------------------

    def feed(self, data: bytes, at: float) -> None:
        """Take bytes that arrived at `at` (time.monotonic seconds)."""
        with self.changed:
            if self.is_over:
                return
            self._unread += data
            try:
                while len(self._unread) >= self._needed:
                    self._next_part(at)
            except wire.WireError as error:
                self._fail(error, at)
            self.changed.notify_all()

    def end(self, at: float) -> None:
        """The pipe has ended."""
        with self.changed:
            self._stop(at)
            self.changed.notify_all()

    def fail(self, fault: Exception, at: float) -> None:
        """Stop reading, for this cause."""
        with self.changed:
            self._fail(fault, at)
            self.changed.notify_all()

    def _next_part(self, at: float) -> None:
        if self._sizes is None:
            prefix = bytes(self._unread[: wire.PREFIX.size])
            self._sizes = wire.check_prefix(prefix, self.most_block_bytes)
            self._needed = wire.PREFIX.size + sum(self._sizes)
            return
        start, middle, end = wire.PREFIX.size, wire.PREFIX.size + self._sizes[0], self._needed
        parts = bytes(self._unread[start:middle]), bytes(self._unread[middle:end])
        del self._unread[:end]
        self._sizes, self._needed = None, wire.PREFIX.size
        self._waiting_bytes += end
        self._arrived(parts, at)

    def _arrived(self, parts: Parts, at: float) -> None:
        self.came += 1
        if self.came <= self._preliminaries:
            self._messages.append(Message(parts, 0.0, 0.0))
            if self.came == self._preliminaries and self._unanswered:
                self._since = self._began = at
            return
        if not self._unanswered:
            raise wire.WireError("an answer that nobody asked for")
        seconds = 0.0 if self._since is None else max(0.0, at - self._since)
        self._spent += seconds
        self._messages.append(Message(parts, seconds, self._spent))
        self._unanswered -= 1
        self._since = at if self._unanswered else None

    def _fail(self, fault: Exception, at: float) -> None:
        if not self.is_over:
            self.fault = fault
            self._stop(at)

    def _stop(self, at: float) -> None:
        if self.is_over:
            return
        self.is_over = True
        if self._since is not None:
            self._spent += max(0.0, at - self._since)
            self._since = None

    # --- called by the judge --------------------------------------------------------------------------------------

    def expect(self, messages: int, now: float) -> None:
        """Expect `messages` more: the worker's time runs from now, or from when it is ready."""
        with self.changed:
            if not self._unanswered and self.came >= self._preliminaries and not self.is_over:
                self._since = now
                self._began = self._began or now
            self._unanswered += messages

    def charge(self, seconds: float) -> None:
        """Charge seconds for which the judge waited for the worker's end, after its last message."""
        with self.changed:
            self._spent += seconds

    def take(self) -> Message | None:
        """The next message, or None. The lock must be held."""
        if not self._messages:
            return None
        message = self._messages.popleft()
        self._waiting_bytes -= wire.PREFIX.size + sum(map(len, message.parts))
        return message

    @property
    def is_full(self) -> bool:
        """Whether reading must pause until a message is taken."""
        return self._waiting_bytes >= MOST_WAITING_BYTES

    def spent(self, now: float) -> float:
        """Seconds for which it has had something to do, up to now."""
        return self._spent + self.running(now)

    def running(self, now: float) -> float:
        """Seconds spent on its current task."""
        return 0.0 if self._since is None else max(0.0, now - self._since)

    def life(self, now: float) -> float:
        """Seconds since it first had something to do."""
        return max(0.0, now - self._began) if self._began else 0.0


AT_ONCE_SECONDS = 0.0005
"""Data returned by a `select` that waited less than this arrived before the call: date it to the previous one."""


class Channel(Protocol):
    """What the pump needs of a worker."""

    def readable(self) -> tuple[int, ...]: ...

    def writable(self) -> int | None: ...

    def read(self, fd: int, at: float) -> None: ...

    def write(self) -> None: ...

    def release(self) -> None: ...


class Pump:
    """Reads and writes for all workers of one sandbox. All descriptors are used in its thread only."""

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

    def register(self, channel: Channel) -> None:
        """Start serving this channel, or ask again what it wants to read and write."""
        self._order(lambda: self._watch(channel))

    def unregister(self, channel: Channel) -> None:
        """Stop serving this channel and close its descriptors."""
        self._order(lambda: self._drop(channel))

    def close(self) -> None:
        """Release all channels and end the thread."""
        self._is_closed = True
        self._order(lambda: None)
        self._thread.join()

    def _order(self, order: Callable[[], None]) -> None:
        self._orders.append(order)
        # pipe full: the thread is awake already; pipe closed: nothing left to do
        with contextlib.suppress(BlockingIOError, OSError):
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
                    self._run_orders()
                else:
                    self._serve(key.data, key.fd, mask, at)
        self._run_orders()
        for channel in list(self._watched):
            self._drop(channel)
        self._selector.close()
        os.close(self._woken)
        os.close(self._wake)

    def _run_orders(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._woken, 4096)
        while self._orders:
            self._orders.popleft()()

    def _serve(self, channel: Channel, fd: int, mask: int, at: float) -> None:
        if channel not in self._watched:
            return  # released earlier in this round
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
