"""The judge's end of one worker: rounds of questions go in, answers come out in order, and it tells how it ended.

What an exercise and a submission may use is processor time and, three times as long, wall time. Time for which a busy
machine keeps a process from running is neither. So a file gets the same verdict alone and after any neighbour.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any, Literal, cast

from .inside import wire
from .levels import MachineError

WALL_PER_PROCESSOR_SECOND = 3.0
"""What sleeping may cost."""
SCHEDULED_TIME = 2
"""CPUCLOCK_SCHED: the clock type in the low bits of Linux's clock id for another process's processor time."""

Shortage = Literal["time", "exercise time", "submission time"]
"""What ran out: the time for one answer, for the exercise, for the whole submission."""


@dataclass
class Budget:
    """What one exercise, or one submission, may use, and what it has used.

    seconds: of processor time. whole: of the submission that an exercise belongs to. worked, passed: seconds that
    processes worked, with all their threads, and that passed meanwhile.
    """

    seconds: float
    kind: Shortage = "exercise time"
    whole: Budget | None = None
    worked: float = 0.0
    passed: float = 0.0

    def charge(self, worked: float, passed: float) -> None:
        """Charge what a process used."""
        self.worked += worked
        self.passed += passed
        if self.whole is not None:
            self.whole.charge(worked, passed)

    def left(self, worked: float = 0.0, passed: float = 0.0) -> tuple[float, Shortage]:
        """Seconds left for a process that has used something more, and what runs out then; 0 or less: it has."""
        own = left_of(self.seconds, self.worked + worked, self.passed + passed), self.kind
        return own if self.whole is None else min(own, self.whole.left(worked, passed))


def left_of(seconds: float, worked: float, passed: float) -> float:
    """How long a process can go on at least, of so many seconds of processor time."""
    return min(seconds - worked, WALL_PER_PROCESSOR_SECOND * seconds - passed)


def processor_seconds(pid: int) -> float | None:
    """Processor time of a process with all its threads; None where the system does not tell, or it has ended."""
    if sys.platform != "linux":
        return None
    try:
        return time.clock_gettime((~pid << 3) | SCHEDULED_TIME)
    except OSError:
        return None


def waited_seconds(pid: int) -> float:
    """Seconds that a process was ready and others ran; 0 where the system does not tell, or it has ended."""
    with contextlib.suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    return 0.0


# --- the process of a worker ------------------------------------------------------------------------------------------

START_SECONDS = 20.0
MAX_MESSAGE_BYTES = 4096


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


class ForkedProcess:
    """A forked process. The zygote kills it when `life`, this end of the socket, is closed."""

    def __init__(self, life: socket.socket) -> None:
        self._life = life
        self._lock = threading.Lock()
        self._pidfd = self.pid = -1
        self._worked = 0.0
        self._code: int | None = None
        self._has_ended = False

    def worked(self) -> float:
        """Seconds of processor time of all its threads; when it has ended, what the zygote counted."""
        with self._lock:
            if self.pid < 0:
                self._hear(START_SECONDS)
            self._hear(0.0)
            if not self._has_ended:
                counted = processor_seconds(self.pid) if self.pid > 0 else None
                if counted is None:  # it has ended: the zygote has its time, and is about to tell it
                    self._hear(LINGER_SECONDS)
                else:
                    self._worked = max(self._worked, counted)
            return self._worked

    def ending(self, seconds: float) -> WorkerLost:
        """How it ended, or that it still runs after so long. Raises MachineError when its zygote has ended too."""
        until = time.monotonic() + seconds
        with self._lock:
            while not self._has_ended and self._hear(until - time.monotonic()):
                pass
            return ending_of(self._code)

    def kill(self) -> None:
        """End it, whatever it is doing."""
        with self._lock:
            if self._pidfd >= 0:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
                os.close(self._pidfd)
                self._pidfd = -1
            self._life.close()
            self._has_ended = True

    def _hear(self, seconds: float) -> bool:
        """Take what the zygote tells within a while; whether it told anything. Raises MachineError when it is gone."""
        if self._has_ended:
            return False
        poller = select.poll()
        poller.register(self._life, select.POLLIN)
        if not poller.poll(max(0.0, seconds) * 1000):
            return False
        try:
            message, fds, _, _ = socket.recv_fds(self._life, MAX_MESSAGE_BYTES, 1)
        except OSError:
            message, fds = b"", []
        if not message:
            raise MachineError("the sandbox was ended from outside")
        told = json.loads(message)
        if fds:
            self._pidfd = fds[0]
            # in this process's namespace; -1 when it has ended, so that there is no clock to ask
            lines = Path(f"/proc/self/fdinfo/{self._pidfd}").read_text().splitlines()
            self.pid = max(0, next(int(line.removeprefix("Pid:")) for line in lines if line.startswith("Pid:")))
        else:
            self._has_ended, self._code, self._worked = True, told["code"], told["cpu_seconds"]
        return True


class ChildProcess:
    """A child of this process."""

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self.popen, self.pid = popen, popen.pid
        self._worked: float | None = None

    def worked(self) -> float | None:
        """Seconds of processor time of all its threads, as last counted; None where the system does not count them."""
        if self.popen.poll() is None and (counted := processor_seconds(self.pid)) is not None:
            self._worked = counted
        return self._worked

    def ending(self, seconds: float) -> WorkerLost:
        """How it ended, or that it still runs after so long."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.popen.wait(seconds)
        return ending_of(self.popen.returncode)

    def kill(self) -> None:
        """Kill it, and on POSIX all its process group. Does not wait until it is gone."""
        if self.popen.returncode is None and hasattr(os, "killpg"):
            with contextlib.suppress(OSError):  # it leads its own group, and is not reaped: its pid is still its own
                os.killpg(self.pid, signal.SIGKILL)
        self.popen.kill()

    def last_words(self) -> str:
        """Wait until it is gone; return the last line that it printed."""
        self.popen.wait()
        with cast(FileIO, self.popen.stderr) as printed:
            lines = printed.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:300] if lines else "a worker could not be started"


Process = ForkedProcess | ChildProcess
"""The process of a worker: forked by a zygote, or a child that waited with torch loaded."""


# --- the worker -------------------------------------------------------------------------------------------------------

LINGER_SECONDS = 5.0
"""How long a worker that has closed its answers may take to exit, and its zygote to say so, on a busy machine."""
LEAST_WAIT_SECONDS = 0.002
LONG_ANSWER_SECONDS = 0.02  # takes so long that what it waited for a processor is looked up
MOST_UNREAD = 64  # messages read ahead of the judge; what nobody asked for waits in the pipe

Parts = tuple[bytes, bytes]
"""One message as it came, for wire.unpack."""


@dataclass(frozen=True)
class Bounds:
    """Limits of one worker. reply_mb: of all its answers together. needs_all: it uses what few workers need."""

    cpu_seconds: int = 20
    memory_mb: int = 2048
    reply_mb: int = 64
    needs_all: bool = False

    @property
    def reply_bytes(self) -> int:
        """`reply_mb` in bytes."""
        return self.reply_mb * 1024 * 1024


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
        self._worked = self._since = self._waited = 0.0
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
        self._has_waited()  # for torch, and to be locked down, which is nobody's

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
        budget.charge(0.0, -self._has_waited())

    def _receive(self, budget: Budget, seconds: float) -> Parts:
        came: Parts | WorkerLost | None = None
        while True:
            worked, passed = self._used()
            own: tuple[float, Shortage] = left_of(seconds, worked, passed), "time"
            left, shortage = min(own, budget.left(worked, passed))
            if left <= 0:
                if (waited := self._has_waited()) > LEAST_WAIT_SECONDS:
                    self._since += waited
                    continue
                came = WorkerLost(shortage)
            if came is not None:
                break
            with contextlib.suppress(queue.Empty):
                came = self._came.get(timeout=max(left, LEAST_WAIT_SECONDS)) or self.process.ending(LINGER_SECONDS)
                self._may_read.release()
        budget.charge(worked, passed - (self._has_waited() if passed > LONG_ANSWER_SECONDS else 0.0))
        self._worked += worked
        self._since += passed
        if isinstance(came, WorkerLost):
            self.close()
            raise came
        return came

    def _used(self) -> tuple[float, float]:
        """Seconds that it worked, and that passed, since the answer before, or since it was asked."""
        passed, worked = time.monotonic() - self._since, self.process.worked()
        return passed if worked is None else worked - self._worked, passed

    def _has_waited(self) -> float:
        """Seconds that it waited for a processor since this was last asked: not charged. After its end none is told."""
        before, self._waited = self._waited, max(self._waited, waited_seconds(self.process.pid))
        return self._waited - before

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
