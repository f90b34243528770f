"""A worker that was forked from a zygote: three pipes, waited for together, and a handle of the process."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .fair_clock import FairClock
from .inside import wire
from .launch import MachineError
from .worker import END_SECONDS, LINGER_SECONDS, Worker, WorkerLost, ending_of

F_SETPIPE_SZ = 1031
WIDE_PIPE_BYTES = 1 << 20
"""So much of what is sent ahead, and of the answers to it, waits in a pipe and not for the other side."""
MOST_PATIENCE = 30.0
"""Seconds by which deadlines are put off at most, all in all: with so much else to do the machine is no use."""


class Zygote(Protocol):
    """What a worker needs of the process that forked it."""

    def pidfd_of(self, number: int, deadline: float) -> int: ...

    def exit_code_of(self, number: int, deadline: float) -> int | None: ...


@dataclass
class ForkedWorker(Worker):
    """One forked process and the three pipes to it."""

    zygote: Zygote
    questions: int
    answers: int
    output: int
    is_open: bool = True
    _clock: FairClock = field(default_factory=FairClock, init=False)
    _granted: float = field(default=0.0, init=False)
    _patient_until: float = field(default=0.0, init=False)
    _unsent: memoryview = field(default=memoryview(b""), init=False)

    def _how_it_ended(self) -> WorkerLost:
        return ending_of(self.zygote.exit_code_of(self.number, time.monotonic() + LINGER_SECONDS))

    def send_ahead(self, frames: Sequence[bytes]) -> bool:
        _widen(self.questions)
        _widen(self.answers)
        self._unsent = memoryview(b"".join((self._unsent, *frames)))
        with contextlib.suppress(wire.ChannelClosed):  # whoever waits for answers hears of it
            self._write_more()
        return True

    def _send(self, frame: bytes, deadline: float) -> None:
        self._unsent = memoryview(b"".join((self._unsent, frame)))
        while self._unsent:
            ready = self._wait([self.output], [self.questions], deadline)
            if self.output in ready:
                self._look_at_output()
            if self.questions in ready:
                self._write_more()

    def _write_more(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self.questions, self._unsent[: wire.CHUNK]) :]
        except BlockingIOError:
            pass
        except (BrokenPipeError, ConnectionResetError) as error:
            self._unsent = memoryview(b"")
            raise wire.ChannelClosed from error

    def _read(self, size: int, deadline: float) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            ready = self._wait([self.answers, self.output], [self.questions] if self._unsent else [], deadline)
            if self.output in ready:
                self._look_at_output()
            if self.questions in ready:
                with contextlib.suppress(wire.ChannelClosed):  # it may have answered before it ended
                    self._write_more()
            if self.answers in ready:
                try:
                    part = os.read(self.answers, min(size - len(parts), wire.CHUNK))
                except BlockingIOError:
                    continue
                if not part:
                    raise wire.ChannelClosed
                parts += part
        return bytes(parts)

    def _wait(self, readable: list[int], writable: list[int], deadline: float) -> list[int]:
        """Wait for a pipe; the deadline is put off by the time for which the worker got no processor."""
        open_ones = [fd for fd in readable if fd >= 0]
        while True:
            try:
                return wire.wait_ready(open_ones, writable, max(deadline, self._patient_until))
            except wire.DeadlinePassed:
                more = min(self.starved_seconds(), MOST_PATIENCE) - self._granted
                if more <= 0:
                    raise
                self._granted += more
                self._patient_until = time.monotonic() + more

    def starved_seconds(self) -> float:
        if not self._clock.follows and self.is_open:
            with contextlib.suppress(MachineError):
                self._clock.follow(self.zygote.pidfd_of(self.number, time.monotonic() + END_SECONDS))
        return self._clock.waited()

    def _look_at_output(self) -> None:
        """Take what the learner printed: keep the beginning, refuse a flood."""
        while self.output >= 0:
            try:
                part = os.read(self.output, wire.CHUNK)
            except BlockingIOError:
                return
            if not part:
                os.close(self.output)
                self.output = -1
                return
            self._note_output(part)
            if self._is_flooded:
                raise WorkerLost("flood")

    def close(self) -> None:
        """End the worker, whatever it does."""
        if not self.is_open:
            return
        self.is_open = False
        for fd in (self.questions, self.answers, self.output):
            if fd >= 0:
                os.close(fd)
        self.questions = self.answers = self.output = -1
        with contextlib.suppress(ProcessLookupError, MachineError):
            pidfd = self.zygote.pidfd_of(self.number, time.monotonic() + END_SECONDS)
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)


def _widen(pipe: int) -> None:
    """Give a pipe more room. Where there is none left for this user, a narrow one will do, in more turns."""
    with contextlib.suppress(ImportError, OSError):
        import fcntl

        fcntl.fcntl(pipe, F_SETPIPE_SZ, WIDE_PIPE_BYTES)
