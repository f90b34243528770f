"""A worker that was forked from a zygote: three pipes and a pidfd."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Sequence
from typing import Protocol

from .clock import ProcessClock
from .inside import wire
from .launch import MachineError
from .pipes import Pump
from .worker import END_SECONDS, LINGER_SECONDS, Bounds, Worker, WorkerLost, ending_of

F_SETPIPE_SZ = 1031
WIDE_PIPE_BYTES = 1 << 20
"""Requested capacity of a pipe: a writer blocks only when this much is unread."""


class Forker(Protocol):
    """What a worker needs from the process that forked it."""

    def pidfd_of(self, number: int, deadline: float) -> int: ...

    def exit_code_of(self, number: int, deadline: float) -> int | None: ...

    def cpu_spent_by(self, number: int) -> float: ...


class ForkedWorker(Worker):
    """One forked process and the three pipes to it; from `pump.register` on, the pump's thread owns the pipes."""

    PRELIMINARIES = 1  # "ready", once it is locked down

    def __init__(
        self, number: int, bounds: Bounds, zygote: Forker, pump: Pump, questions: int, answers: int, output: int
    ) -> None:
        super().__init__(number, bounds)
        self._zygote = zygote
        self._pump = pump
        self._questions, self._answers, self._output = questions, answers, output
        self._unsent = memoryview(b"")
        self._clock = ProcessClock()
        self._is_open = True
        for pipe in (questions, answers):
            _widen(pipe)
        for pipe in (questions, answers, output):
            os.set_blocking(pipe, False)
        pump.register(self)

    # --- in the pump's thread ---------------------------------------------------------------------------------

    def readable(self) -> tuple[int, ...]:
        """The pipes to read from."""
        answers = -1 if self._mailbox.is_full or self._mailbox.is_over else self._answers
        output = -1 if self.is_flooded else self._output  # a worker that goes on printing blocks until it is killed
        return tuple(fd for fd in (answers, output) if fd >= 0)

    def writable(self) -> int | None:
        """The pipe to write to, if there is anything to write."""
        return self._questions if self._unsent and self._questions >= 0 else None

    def read(self, fd: int, at: float) -> None:
        """Read what is in a pipe."""
        try:
            part = os.read(fd, wire.CHUNK)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        if fd == self._output:
            if part:
                self.output_arrived(part, at)
            else:
                self._output = self._closed(fd)
        elif part:
            self.arrived(part, at)
        else:
            self._answers = self._closed(fd)
            self.ended(at)

    def write(self) -> None:
        """Write as much as fits now."""
        with self._mailbox.changed:
            if self._questions < 0:
                return
            try:
                self._unsent = self._unsent[os.write(self._questions, self._unsent[: wire.CHUNK]) :]
            except BlockingIOError:
                pass
            except OSError:  # the reader is gone: the judge gets the cause when it reads the answers
                self._unsent = memoryview(b"")

    def release(self) -> None:
        """Close the pipes."""
        with self._mailbox.changed:
            pipes = (self._questions, self._answers, self._output)
            self._questions, self._answers, self._output = map(self._closed, pipes)

    def _closed(self, fd: int) -> int:
        if fd >= 0:
            os.close(fd)
        return -1

    def _make_room(self) -> None:
        self._pump.register(self)

    def _write(self, frames: Sequence[bytes]) -> None:
        if not frames or not self._is_open:
            return
        was_unsent = bool(self._unsent)
        self._unsent = memoryview(b"".join((self._unsent, *frames)))
        if not was_unsent:
            self.write()  # as much as fits at once; the pump writes the rest
        if self._unsent:
            self._pump.register(self)

    # --- the judge's side -------------------------------------------------------------------------------------

    def _how_it_ended(self) -> WorkerLost:
        return ending_of(self._zygote.exit_code_of(self.number, time.monotonic() + LINGER_SECONDS))

    def kept_waiting(self, now: float) -> float:
        return self._followed().kept_waiting(self._mailbox.life(now))

    def cpu_spent(self) -> float:
        return max(self._followed().worked(), self._zygote.cpu_spent_by(self.number))

    def _followed(self) -> ProcessClock:
        if not self._clock.follows and self._is_open:
            with contextlib.suppress(MachineError):
                self._clock.follow(self._zygote.pidfd_of(self.number, time.monotonic() + END_SECONDS))
        return self._clock

    def close(self) -> None:
        """Kill the worker, whatever it is doing. `cpu_spent` stays readable."""
        if not self._is_open:
            return
        self._followed().stop()
        self._is_open = False
        self._mailbox.end(time.monotonic())
        with contextlib.suppress(ProcessLookupError, MachineError):
            pidfd = self._zygote.pidfd_of(self.number, time.monotonic() + END_SECONDS)
            if _has_ended(pidfd):  # then only the zygote knows its processor time
                self._zygote.exit_code_of(self.number, time.monotonic() + LINGER_SECONDS)
            else:
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        self._pump.unregister(self)


def _has_ended(pidfd: int) -> bool:
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(0))


def _widen(pipe: int) -> None:
    """Enlarge a pipe. Where the user's limit for pipe memory is reached, a small pipe works too, in more rounds."""
    with contextlib.suppress(ImportError, OSError):
        import fcntl

        fcntl.fcntl(pipe, F_SETPIPE_SZ, WIDE_PIPE_BYTES)
