"""The judge's end of one worker: send a question, get the answer within a deadline, or learn how it ended."""

from __future__ import annotations

import contextlib
import hashlib
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from .inside import wire
from .launch import MachineError

FLOOD_BYTES = 8 * 1024 * 1024
START_SECONDS = 20.0
END_SECONDS = 5.0
LINGER_SECONDS = 1.0
"""How long a worker that has closed its answers may take to end by itself."""
NOTHING = torch.empty(0, dtype=torch.uint8)

Parts = tuple[bytes, bytes]
"""One message as it came, for wire.unpack."""


class Heard:
    """A digest of all that was said about one file."""

    def __init__(self) -> None:
        self._said = hashlib.blake2b(digest_size=16)

    def note(self, parts: Parts) -> None:
        """Take account of one more message."""
        for part in parts:
            self._said.update(len(part).to_bytes(8, "little"))
            self._said.update(part)

    def digest(self) -> bytes:
        """The same for the same messages in the same order."""
        return self._said.digest()


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
        return wire.pack(self.told(reply_bytes), wire.MAX_HEADER_BYTES)

    def told(self, reply_bytes: int, questions: int | None = None) -> dict[str, Any]:
        """What is said of this file; `questions`: how many come, for a worker that is given several files."""
        return {
            "file": self.file,
            "source": torch.frombuffer(bytearray(self.source), dtype=torch.uint8) if self.source else NOTHING,
            "entry_points": list(self.entry_points),
            "calls": list(self.calls),
            "operators": list(self.operators),
            "reply_bytes": reply_bytes,
            "questions": questions,
        }


class WorkerLost(Exception):
    """A worker ended or was ended by something the learner's code did: `reason` is a word, `detail` a few more."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


WINDOWS_CRASHES = {0xC0000005: "access violation", 0xC0000017: "out of memory", 0xC00000FD: "stack overflow"}
LEAST_WINDOWS_CRASH = 0xC0000000


def ending_of(code: int | None) -> WorkerLost:
    """How a process ended, from its exit code (negative: by that signal); None for one that still runs."""
    if code is None:
        return WorkerLost("closed")
    if code >= LEAST_WINDOWS_CRASH:
        return WorkerLost("signal", WINDOWS_CRASHES.get(code, f"{code:#x}"))
    if code >= 0:
        return WorkerLost("exit", str(code))
    with contextlib.suppress(ValueError):
        return WorkerLost("signal", signal.Signals(-code).name)
    return WorkerLost("signal", str(-code))


@dataclass
class Worker(ABC):
    """One process for one learner's file. How bytes get there and back, and how it ends, is its kind's own affair."""

    number: int
    bounds: Bounds
    printed: bytearray = field(default_factory=bytearray, init=False)
    printed_bytes: int = field(default=0, init=False)
    is_locked: bool = field(default=False, init=False)
    heard: Heard = field(default_factory=Heard, init=False)
    """What it has said since its walls stand."""

    @property
    def reply_bytes(self) -> int:
        return self.bounds.reply_mb * 1024 * 1024

    def await_lock(self, deadline: float) -> None:
        """Wait until the worker says that its walls stand. Raises MachineError when they don't."""
        if self.is_locked:
            return
        try:
            told = wire.unpack(*self._take(deadline))
        except (WorkerLost, wire.WireError, wire.ChannelClosed, wire.DeadlinePassed) as error:
            raise MachineError(f"a worker ended before it was locked down ({error})") from error
        if not (isinstance(told, dict) and told.get("ready") is True):
            raise MachineError(str(told.get("lockdown", "a worker could not be locked down")))
        self.is_locked = True

    def send(self, frame: bytes, seconds: float) -> None:
        """Send one frame. Raises WorkerLost when it is not taken in time; the worker is ended."""
        with self._losses_explained(seconds):
            self._send(frame, time.monotonic() + seconds)

    def send_ahead(self, frames: Sequence[bytes]) -> bool:
        """Have frames sent while answers are waited for. False where that can't be done: then nothing is sent."""
        return False

    def receive(self, seconds: float) -> Any:
        """Take one message. Raises WorkerLost when none comes in time and form; the worker is ended."""
        self.await_lock(time.monotonic() + START_SECONDS)
        with self._losses_explained(seconds):
            return wire.unpack(*self._listen(seconds))

    def receive_parts(self, seconds: float) -> Parts:
        """Take one message as it came. Raises as `receive`, but for what is in it."""
        self.await_lock(time.monotonic() + START_SECONDS)
        with self._losses_explained(seconds):
            return self._listen(seconds)

    @contextlib.contextmanager
    def _losses_explained(self, seconds: float) -> Iterator[None]:
        try:
            yield
        except wire.ChannelClosed:
            ending = self._how_it_ended()
            self.close()
            raise ending from None
        except wire.DeadlinePassed:
            self.close()
            raise WorkerLost("time", f"{seconds:g}") from None
        except wire.WireError as error:
            self.close()
            raise WorkerLost("garbled", str(error)) from None
        except WorkerLost:
            self.close()
            raise

    def _listen(self, seconds: float) -> Parts:
        parts = self._take(time.monotonic() + seconds)
        self.heard.note(parts)
        return parts

    def _take(self, deadline: float) -> Parts:
        prefix = self._read(wire.PREFIX.size, deadline)
        header_size, block_size = wire.check_prefix(prefix, self.reply_bytes)
        header, block = self._read(header_size, deadline), self._read(block_size, deadline)
        self._look_at_output()
        return header, block

    def _note_output(self, part: bytes) -> None:
        """Keep the beginning of what the learner prints, count all of it."""
        self.printed_bytes += len(part)
        self.printed += part[: max(0, self.bounds.output_kb * 1024 - len(self.printed))]

    @property
    def _is_flooded(self) -> bool:
        return self.printed_bytes > FLOOD_BYTES

    def starved_seconds(self) -> float:
        """For how long it was ready to run and got no processor, where the system tells."""
        return 0.0

    @abstractmethod
    def _send(self, frame: bytes, deadline: float) -> None:
        """Pass a frame on. Raises ChannelClosed, DeadlinePassed, or WorkerLost for a flood."""

    @abstractmethod
    def _read(self, size: int, deadline: float) -> bytes:
        """Exactly so many bytes of the answers. Raises as `_send`."""

    @abstractmethod
    def _look_at_output(self) -> None:
        """Take account of what has been printed so far. Raises WorkerLost for a flood."""

    @abstractmethod
    def _how_it_ended(self) -> WorkerLost:
        """Why there will be no more answers."""

    @abstractmethod
    def close(self) -> None:
        """End the worker, whatever it does."""
