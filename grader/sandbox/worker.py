"""The judge's end of one worker: send it questions, receive its answers, or find out how it ended."""

from __future__ import annotations

import contextlib
import signal
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch

from .clock import Budget
from .inside import wire
from .launch import MachineError
from .pipes import Mailbox, Message, Parts

FLOOD_BYTES = 8 * 1024 * 1024
START_SECONDS = 20.0
END_SECONDS = 5.0
LINGER_SECONDS = 1.0
"""How long a worker that has closed its answers may take to exit by itself."""
NOTHING = torch.empty(0, dtype=torch.uint8)


@dataclass(frozen=True)
class Bounds:
    """Limits of one worker."""

    cpu_seconds: int = 20
    memory_mb: int = 2048
    reply_mb: int = 64
    output_kb: int = 64


@dataclass(frozen=True)
class LearnerFile:
    """A learner's file to be sent to a worker, and what to look for in it before it runs."""

    file: str
    source: bytes
    entry_points: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()

    ANSWERS: ClassVar[int] = 2
    """A worker sends two messages about a file: the result of scanning its source, and whether it was loaded."""

    def frame(self, reply_bytes: int) -> bytes:
        """The first frame sent to a worker."""
        told = {
            "file": self.file,
            "source": torch.frombuffer(bytearray(self.source), dtype=torch.uint8) if self.source else NOTHING,
            "entry_points": list(self.entry_points),
            "calls": list(self.calls),
            "operators": list(self.operators),
            "reply_bytes": reply_bytes,
        }
        return wire.pack(told, wire.MAX_HEADER_BYTES)


class WorkerLost(Exception):
    """A worker ended, or was killed, because of the learner's code: `reason` is one word, `detail` a few more."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


WINDOWS_CRASHES = {0xC0000005: "access violation", 0xC0000017: "out of memory", 0xC00000FD: "stack overflow"}
LEAST_WINDOWS_CRASH = 0xC0000000


def ending_of(code: int | None) -> WorkerLost:
    """How a process ended, by its exit code (negative: by that signal); None for one that still runs."""
    if code is None:
        return WorkerLost("closed")
    if code >= LEAST_WINDOWS_CRASH:
        return WorkerLost("signal", WINDOWS_CRASHES.get(code, f"{code:#x}"))
    if code >= 0:
        return WorkerLost("exit", str(code))
    with contextlib.suppress(ValueError):
        return WorkerLost("signal", signal.Signals(-code).name)
    return WorkerLost("signal", str(-code))


class Worker(ABC):
    """One process for one learner's file. Subclasses say how bytes get there and back, and how it ends."""

    PRELIMINARIES: ClassVar[int]
    """How many messages it sends before a learner's code is involved."""

    def __init__(self, number: int, bounds: Bounds) -> None:
        self.number = number
        self.bounds = bounds
        self.printed = bytearray()
        self.printed_bytes = 0
        self.is_locked = False
        self._mailbox = Mailbox(self.reply_bytes, self.PRELIMINARIES)
        self._held: deque[tuple[int, bytes]] = deque()
        """(n, frame): frames to be written once n messages have arrived."""

    @property
    def reply_bytes(self) -> int:
        return self.bounds.reply_mb * 1024 * 1024

    # --- the judge's side -------------------------------------------------------------------------------------

    def await_lock(self, deadline: float) -> None:
        """Wait until the worker reports that it is locked down. Raises MachineError when it could not be."""
        if self.is_locked:
            return
        told = self._preliminary(deadline)
        if not (isinstance(told, dict) and told.get("ready") is True):
            raise MachineError(str(told.get("lockdown", "a worker could not be locked down")))
        self.is_locked = True

    def give(self, frames: Sequence[bytes], *, answers: int, after: int = 0) -> None:
        """Send frames that will be answered by `answers` messages; the worker's time runs until then. Never blocks.

        after: write them only after this many messages have arrived since it was ready.
        """
        with self._mailbox.changed:
            self._mailbox.expect(answers, time.monotonic())
            self._held.extend((after, frame) for frame in frames)
            self._write(self._released())

    def receive(self, budget: Budget) -> Any:
        """Receive one message. Raises WorkerLost, and ends the worker, when none comes in time or it is invalid."""
        parts = self.receive_parts(budget)
        try:
            return wire.unpack(*parts)
        except wire.WireError as error:
            self.close()
            raise WorkerLost("garbled", str(error)) from None

    def receive_parts(self, budget: Budget) -> Parts:
        """Receive one message without unpacking it. Raises as `receive`, except for an invalid message."""
        self.await_lock(time.monotonic() + START_SECONDS)
        try:
            return self._take(budget).parts
        except WorkerLost:
            self.close()
            raise

    def _take(self, budget: Budget) -> Message:
        with self._mailbox.changed:
            while True:
                was_full = self._mailbox.is_full
                message, now = self._mailbox.take(), time.monotonic()
                if was_full and not self._mailbox.is_full:
                    self._make_room()
                if message:
                    left, shortage = budget.left(self, message.seconds, message.spent, now)
                else:
                    left, shortage = budget.left(self, self._mailbox.running(now), self.spent(now), now)
                if left <= 0 and (message or not self._mailbox.is_over):
                    # charge it up to the moment of the timeout, however late that is noticed
                    self._mailbox.end(now + left)
                    raise WorkerLost(shortage)
                if message:
                    return message
                if self._mailbox.is_over:
                    break
                self._mailbox.changed.wait(left)
        raise self._why_it_is_over()

    def _why_it_is_over(self) -> WorkerLost:
        fault = self._mailbox.fault
        if fault is None:
            began = time.monotonic()
            ending = self._how_it_ended()
            self._mailbox.charge(time.monotonic() - began)
            return ending
        return fault if isinstance(fault, WorkerLost) else WorkerLost("garbled", str(fault))

    def _preliminary(self, deadline: float) -> Any:
        """The next message, without charging time. Raises MachineError when none can be read."""
        with self._mailbox.changed:
            while (message := self._mailbox.take()) is None:
                left = deadline - time.monotonic()
                if self._mailbox.is_over or left <= 0:
                    break
                self._mailbox.changed.wait(left)
        if message is None:
            how = self._why_it_is_over() if self._mailbox.is_over else "it took too long"
            raise MachineError(f"a worker ended before it was locked down ({how})")
        try:
            return wire.unpack(*message.parts)
        except wire.WireError as error:
            raise MachineError(f"a worker could not be understood before it was locked down ({error})") from error

    # --- what it used -----------------------------------------------------------------------------------------

    def spent(self, now: float) -> float:
        """Seconds for which it has had something to do."""
        return self._mailbox.spent(now)

    def kept_waiting(self, now: float) -> float:
        """Seconds of these for which it waited for a processor, where the system counts them."""
        return 0.0

    def cpu_spent(self) -> float:
        """Processor seconds that it used, where the system counts them."""
        return 0.0

    # --- called by the thread that reads its pipes ----------------------------------------------------------------

    def arrived(self, data: bytes, at: float) -> None:
        """Bytes of its answers arrived at `at` (time.monotonic seconds)."""
        with self._mailbox.changed:
            self._mailbox.feed(data, at)
            self._write(self._released())

    def ended(self, at: float) -> None:
        """Its answers have ended."""
        self._mailbox.end(at)

    def output_arrived(self, part: bytes, at: float) -> None:
        """The learner's code printed: keep the beginning, count everything, and stop the worker if it floods."""
        self.printed_bytes += len(part)
        self.printed += part[: max(0, self.bounds.output_kb * 1024 - len(self.printed))]
        if self.printed_bytes > FLOOD_BYTES:
            self._mailbox.fail(WorkerLost("flood"), at)

    @property
    def is_flooded(self) -> bool:
        """Whether it printed more than FLOOD_BYTES."""
        return self.printed_bytes > FLOOD_BYTES

    def _released(self) -> list[bytes]:
        came = self._mailbox.came - self.PRELIMINARIES
        frames = []
        while self._held and self._held[0][0] <= max(0, came):
            frames.append(self._held.popleft()[1])
        return frames

    # --- what subclasses implement ---------------------------------------------------------------------------------

    @abstractmethod
    def _make_room(self) -> None:
        """Resume reading after the mailbox was full. The mailbox is locked."""

    @abstractmethod
    def _write(self, frames: Sequence[bytes]) -> None:
        """Have frames written by another thread; never blocks."""

    @abstractmethod
    def _how_it_ended(self) -> WorkerLost:
        """Why there will be no more answers."""

    @abstractmethod
    def close(self) -> None:
        """Kill the worker, whatever it is doing."""
