"""The judge's end of one worker: send a question, get the answer within a deadline, or learn how it ended."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch

from .inside import wire
from .launch import MachineError

FLOOD_BYTES = 8 * 1024 * 1024
START_SECONDS = 20.0
END_SECONDS = 5.0
LINGER_SECONDS = 1.0
"""How long a worker that has closed its answers may take to end by itself."""


@dataclass(frozen=True)
class Bounds:
    """What one worker may use."""

    cpu_seconds: int = 20
    memory_mb: int = 2048
    reply_mb: int = 64
    output_kb: int = 64


@dataclass(frozen=True)
class Script:
    """A learner's file on its way to a worker, and what to look for in it before it runs."""

    file: str
    source: bytes
    entry_points: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()

    def frame(self, reply_bytes: int) -> bytes:
        """The first thing a worker is told, packed."""
        source = torch.tensor(list(self.source), dtype=torch.uint8)
        told = {
            "file": self.file,
            "source": source,
            "entry_points": list(self.entry_points),
            "calls": list(self.calls),
            "operators": list(self.operators),
            "reply_bytes": reply_bytes,
        }
        return wire.pack(told, wire.MAX_HEADER_BYTES)


class WorkerLost(Exception):
    """A worker ended or was ended by something the learner's code did: `reason` is a word, `detail` a few more."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class Zygote(Protocol):
    """What a worker needs of the process that forked it."""

    def pidfd_of(self, number: int, deadline: float) -> int: ...

    def exit_code_of(self, number: int, deadline: float) -> int | None: ...


@dataclass
class Worker:
    """One forked process and the three pipes to it."""

    number: int
    zygote: Zygote
    bounds: Bounds
    questions: int
    answers: int
    output: int
    printed: bytearray = field(default_factory=bytearray)
    printed_bytes: int = 0
    is_locked: bool = False
    is_open: bool = True

    @property
    def reply_bytes(self) -> int:
        return self.bounds.reply_mb * 1024 * 1024

    def await_lock(self, deadline: float) -> None:
        """Wait until the worker says that its walls stand. Raises MachineError when they don't."""
        if self.is_locked:
            return
        try:
            told = self._receive(deadline)
        except (WorkerLost, wire.WireError, wire.ChannelClosed, wire.DeadlinePassed) as error:
            raise MachineError(f"a worker ended before it was locked down ({error})") from error
        if not (isinstance(told, dict) and told.get("ready") is True):
            raise MachineError(str(told.get("lockdown", "a worker could not be locked down")))
        self.is_locked = True

    def send(self, frame: bytes, seconds: float) -> None:
        """Send one frame. Raises WorkerLost when it is not taken in time; the worker is ended."""
        with self._losses_explained(seconds):
            self._send(frame, time.monotonic() + seconds)

    def receive(self, seconds: float) -> Any:
        """Take one message. Raises WorkerLost when none comes in time and form; the worker is ended."""
        self.await_lock(time.monotonic() + START_SECONDS)
        with self._losses_explained(seconds):
            return self._receive(time.monotonic() + seconds)

    @contextlib.contextmanager
    def _losses_explained(self, seconds: float) -> Iterator[None]:
        try:
            yield
        except wire.ChannelClosed:
            raise self._how_it_ended() from None
        except wire.DeadlinePassed:
            self.close()
            raise WorkerLost("time", f"{seconds:g}") from None
        except wire.WireError as error:
            self.close()
            raise WorkerLost("garbled", str(error)) from None
        except WorkerLost:
            self.close()
            raise

    def _how_it_ended(self) -> WorkerLost:
        code = self.zygote.exit_code_of(self.number, time.monotonic() + LINGER_SECONDS)
        self.close()
        if code is None:
            return WorkerLost("closed")
        if code < 0:
            with contextlib.suppress(ValueError):
                return WorkerLost("signal", signal.Signals(-code).name)
            return WorkerLost("signal", str(-code))
        return WorkerLost("exit", str(code))

    def _send(self, frame: bytes, deadline: float) -> None:
        view = memoryview(frame)
        while view:
            ready = self._wait([self.output], [self.questions], deadline)
            if self.output in ready:
                self._drain()
            if self.questions in ready:
                try:
                    view = view[os.write(self.questions, view[: wire.CHUNK]) :]
                except BlockingIOError:
                    continue
                except (BrokenPipeError, ConnectionResetError) as error:
                    raise wire.ChannelClosed from error

    def _receive(self, deadline: float) -> Any:
        prefix = self._read(wire.PREFIX.size, deadline)
        header_size, block_size = wire.check_prefix(prefix, self.reply_bytes)
        header = self._read(header_size, deadline)
        value = wire.unpack(header, self._read(block_size, deadline))
        self._drain()
        return value

    def _read(self, size: int, deadline: float) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            ready = self._wait([self.answers, self.output], [], deadline)
            if self.output in ready:
                self._drain()
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
        open_ones = [fd for fd in readable if fd >= 0]
        return wire.wait_ready(open_ones, writable, deadline)

    def _drain(self) -> None:
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
            self.printed_bytes += len(part)
            self.printed += part[: max(0, self.bounds.output_kb * 1024 - len(self.printed))]
            if self.printed_bytes > FLOOD_BYTES:
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
