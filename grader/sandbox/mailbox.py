"""What a worker has sent: whole messages, each with the moment at which it came, put in by whoever reads the pipe.

Time is counted here, where bytes arrive, and not where they are looked at: so a file is charged with the same seconds
whatever the judge is busy with meanwhile.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass

from .inside import wire

Parts = tuple[bytes, bytes]
"""One message as it came, for wire.unpack."""

MOST_WAITING_BYTES = 16 * 1024 * 1024
"""Of messages that nobody has taken yet; with more of them nothing is read. Right answers have a fiftieth of it."""


@dataclass(frozen=True)
class Message:
    """One message; for how many seconds the worker was at it, and at all that it has answered up to this one."""

    parts: Parts
    seconds: float
    spent: float


class Mailbox:
    """The messages of one worker. `changed` is notified, with its lock held, whenever there is something new."""

    def __init__(self, most_block_bytes: int, preliminaries: int) -> None:
        """preliminaries: how many messages the worker sends before it is a learner's: they cost the learner nothing."""
        self.changed = threading.Condition()
        self.most_block_bytes = most_block_bytes
        self.fault: Exception | None = None
        """Why there is no more to come: a stream that is no messages, or too much of it."""
        self.is_over = False
        self.came = 0
        self._preliminaries = preliminaries
        self._unread = bytearray()
        self._needed = wire.PREFIX.size
        self._sizes: tuple[int, int] | None = None
        self._messages: deque[Message] = deque()
        self._waiting_bytes = 0
        self._owed = 0
        self._since: float | None = None
        self._began = 0.0
        self._spent = 0.0

    # --- by the one who reads the pipe ------------------------------------------------------------------------

    def feed(self, data: bytes, at: float) -> None:
        """Take some bytes that came at `at` (time.monotonic seconds)."""
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
        """There will be no more bytes."""
        with self.changed:
            self._stop(at)
            self.changed.notify_all()

    def fail(self, fault: Exception, at: float) -> None:
        """Nothing more is wanted, and this is why."""
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
            if self.came == self._preliminaries and self._owed:
                self._since = self._began = at
            return
        if not self._owed:
            raise wire.WireError("an answer that nobody asked for")
        seconds = 0.0 if self._since is None else max(0.0, at - self._since)
        self._spent += seconds
        self._messages.append(Message(parts, seconds, self._spent))
        self._owed -= 1
        self._since = at if self._owed else None

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

    # --- by the judge -----------------------------------------------------------------------------------------

    def expect(self, messages: int, now: float) -> None:
        """So many more messages are to come: from now on, or from when it is ready, the worker's time runs."""
        with self.changed:
            if not self._owed and self.came >= self._preliminaries and not self.is_over:
                self._since = now
                self._began = self._began or now
            self._owed += messages

    def charge(self, seconds: float) -> None:
        """Count seconds for which the judge had to wait for its end, after its last message."""
        with self.changed:
            self._spent += seconds

    def take(self) -> Message | None:
        """The next message, if it is there. The lock must be held."""
        if not self._messages:
            return None
        message = self._messages.popleft()
        self._waiting_bytes -= wire.PREFIX.size + sum(map(len, message.parts))
        return message

    @property
    def is_full(self) -> bool:
        """Whether nothing more should be read until something was taken."""
        return self._waiting_bytes >= MOST_WAITING_BYTES

    def spent(self, now: float) -> float:
        """For how many seconds it has had something to do, up to now."""
        return self._spent + self.running(now)

    def running(self, now: float) -> float:
        """For how long it has been at what it does now."""
        return 0.0 if self._since is None else max(0.0, now - self._since)

    def life(self, now: float) -> float:
        """The seconds since it first had something to do."""
        return max(0.0, now - self._began) if self._began else 0.0
