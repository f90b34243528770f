"""The judge's end of one worker: rounds of questions go in, answers come out in order, and it tells how it ended.

What an exercise and a submission may use is processor time and, three times as long, wall time. Time for which a busy
machine keeps a process from running is not processor time. So a file gets the same verdict alone, in a class, after a
quick neighbour and after a slow one.
"""

from __future__ import annotations

import contextlib
import queue
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import FileIO
from typing import Any, ClassVar, Literal, Protocol

import torch

from .inside import wire
from .levels import MachineError

WALL_PER_PROCESSOR_SECOND = 3.0
"""What sleeping may cost, and how busy a machine may be at which the slowest right answer still passes."""
SCHEDULED_TIME = 2
"""CPUCLOCK_SCHED: the clock type in the low bits of Linux's clock id for another process's processor time."""

Shortage = Literal["time", "exercise time", "submission time"]
"""What ran out: the time for one answer, for the exercise, for the whole submission."""


@dataclass(frozen=True)
class Used:
    """Seconds that a process worked, with all its threads, and that passed meanwhile."""

    worked: float = 0.0
    passed: float = 0.0

    def __add__(self, other: Used) -> Used:
        return Used(self.worked + other.worked, self.passed + other.passed)

    def left_of(self, seconds: float) -> float:
        """How long a process can go on at least, with that many seconds of processor time allowed."""
        return min(seconds - self.worked, WALL_PER_PROCESSOR_SECOND * seconds - self.passed)


@dataclass
class Budget:
    """What one exercise, or one submission, may use, and what it has used.

    seconds: of processor time. whole: of the submission that an exercise belongs to.
    """

    seconds: float
    kind: Shortage = "exercise time"
    whole: Budget | None = None
    used: Used = Used()

    def charge(self, used: Used) -> None:
        """Charge what a process used."""
        self.used += used
        if self.whole is not None:
            self.whole.charge(used)

    def left(self, used: Used = Used()) -> tuple[float, Shortage]:
        """Seconds left for a process that has used something more, and what runs out then; 0 or less: it has."""
        own = (self.used + used).left_of(self.seconds), self.kind
        return own if self.whole is None else min(own, self.whole.left(used))


def processor_seconds(pid: int) -> float | None:
    """Processor time of a process with all its threads; None where the system does not tell, or it has ended."""
    if sys.platform != "linux":
        return None
    try:
        return time.clock_gettime((~pid << 3) | SCHEDULED_TIME)
    except OSError:
        return None


# --- the worker -------------------------------------------------------------------------------------------------------

START_SECONDS = 20.0
LINGER_SECONDS = 5.0
"""How long a worker that has closed its answers may take to exit, and its zygote to say so, on a busy machine."""
LEAST_WAIT_SECONDS = 0.002
MOST_UNREAD = 64
"""Messages read ahead of the judge. What nobody asked for waits in the pipe."""
NOTHING = torch.empty(0, dtype=torch.uint8)

Parts = tuple[bytes, bytes]
"""One message as it came, for wire.unpack."""


@dataclass(frozen=True)
class Bounds:
    """Limits of one worker. reply_mb: of all its answers together."""

    cpu_seconds: int = 20
    memory_mb: int = 2048
    reply_mb: int = 64

    @property
    def reply_bytes(self) -> int:
        """`reply_mb` in bytes."""
        return self.reply_mb * 1024 * 1024


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


class Process(Protocol):
    """The process of a worker: forked by a zygote, or a child that waited with torch loaded."""

    def worked(self) -> float | None:
        """Seconds of processor time so far; None where the system does not count them."""
        ...

    def ending(self, seconds: float) -> WorkerLost:
        """How it ended; waits so long for its end. Raises MachineError when it was ended from outside."""
        ...

    def kill(self) -> None:
        """End it, whatever it is doing."""
        ...


class Worker:
    """One process that answers for one learner's file. `questions` and `answers` are its pipes.

    Each pipe has a thread, for a pipe can't be waited for with a deadline on every system.
    """

    def __init__(self, process: Process, questions: FileIO, answers: FileIO, bounds: Bounds) -> None:
        self.process = process
        self.bounds = bounds
        self._questions, self._answers = questions, answers
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._came: queue.SimpleQueue[Parts | WorkerLost | None] = queue.SimpleQueue()
        self._may_read = threading.Semaphore(MOST_UNREAD)
        self._is_closed = False
        self._is_ready = False
        self._worked = 0.0
        self._since = 0.0
        for run in (self._read, self._write):
            threading.Thread(target=run, name="kata worker", daemon=True).start()

    def await_ready(self, seconds: float = START_SECONDS) -> None:
        """Wait until no learner's code could do harm in it. Raises MachineError when that can't be had."""
        if self._is_ready:
            return
        try:
            came = self._came.get(timeout=seconds)
        except queue.Empty:
            raise MachineError("a worker was not ready in time") from None
        if not isinstance(came, tuple):
            raise MachineError(f"a worker ended before it was ready ({came or self.process.ending(LINGER_SECONDS)})")
        told = wire.unpack(*came)
        if told != {"ready": True}:
            raise MachineError(str(told.get("lockdown", "a worker could not be locked down")))
        self._is_ready, self._worked = True, self.process.worked() or 0.0

    def send(self, frames: Sequence[bytes]) -> None:
        """Have frames written, in one piece; does not wait."""
        self._outgoing.put(b"".join(frames))

    def ask(self, frames: Sequence[bytes], budget: Budget, seconds: float, *, answers: int) -> Iterator[Parts]:
        """Send a round of questions and pass on each answer when it has come, unread.

        seconds: of processor time for one answer. Raises WorkerLost when there will be no more answers; then the worker
        is closed. Raises MachineError when the sandbox is gone.
        """
        self.await_ready()
        self._since = time.monotonic()
        self.send(frames)
        for _ in range(answers):
            yield self._receive(budget, seconds)

    def _receive(self, budget: Budget, seconds: float) -> Parts:
        came: Parts | WorkerLost | None = None
        while True:
            used = self._used()
            own: tuple[float, Shortage] = used.left_of(seconds), "time"
            left, shortage = min(own, budget.left(used))
            if left <= 0:
                came = WorkerLost(shortage)
            if came is not None:
                break
            with contextlib.suppress(queue.Empty):
                came = self._came.get(timeout=max(left, LEAST_WAIT_SECONDS)) or self.process.ending(LINGER_SECONDS)
                self._may_read.release()
        budget.charge(used)
        self._worked += used.worked
        self._since += used.passed
        if isinstance(came, WorkerLost):
            self.close()
            raise came
        return came

    def _used(self) -> Used:
        """What it has used since the answer before, or since it was asked."""
        passed, worked = time.monotonic() - self._since, self.process.worked()
        return Used(passed if worked is None else worked - self._worked, passed)

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._is_closed = True
        self.process.kill()
        self._outgoing.put(None)
        self._came.put(None)
        self._may_read.release()

    # --- threads ----------------------------------------------------------------------------------------------

    def _write(self) -> None:
        with contextlib.suppress(OSError, wire.ChannelClosed), self._questions:  # whoever waits for an answer sees why
            while (frames := self._outgoing.get()) is not None:
                wire.write_frame(self._questions.fileno(), frames)

    def _read(self) -> None:
        with self._answers:
            end: WorkerLost | None = None
            try:
                self._pass_on()
            except wire.WireError as error:
                end = WorkerLost("garbled", str(error))
            except (OSError, wire.ChannelClosed):
                pass
            self._came.put(end)

    def _pass_on(self) -> None:
        size = 0
        while self._may_read.acquire() and not self._is_closed:
            # a note that an answer is too large may come on top
            room = self.bounds.reply_bytes + wire.MAX_HEADER_BYTES - size
            parts: Any = wire.read_frame(self._answers.fileno(), room)
            size += wire.PREFIX.size + sum(map(len, parts))
            if size > self.bounds.reply_bytes + wire.MAX_HEADER_BYTES:
                raise wire.WireError("more than agreed")
            self._came.put(parts)
