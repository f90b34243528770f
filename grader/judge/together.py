"""Several files of one submission in one worker, one after another.

A worker for each costs as much as most of them need for all their answers. So in a class, where all questions are
foreseen, the files that can leave no trace in a process (sandbox/inside/plain.py) share one. A file has its part of it
when its turn comes, and speaks as from a worker of its own. Whatever is out of the ordinary there, be it an end, a
garbled answer or one that takes too long, is no verdict: from there on each file is run alone, from its beginning.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grader.sandbox.inside import wire
from grader.sandbox.launch import MachineError
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.worker import START_SECONDS, Bounds, Heard, Parts, Script, Worker, WorkerLost

OUT_OF_MEMORY = b'"kind": "memory"'
"""What others have left could have taken it."""


class Apart(Exception):
    """What was run together must be run alone."""


@dataclass(frozen=True)
class Part:
    """A file that is to share a worker: what is said of it, what it may use, what it will be asked."""

    script: Script
    bounds: Bounds
    frames: tuple[bytes, ...]

    def told(self) -> dict[str, Any]:
        """What the worker is told of it."""
        return self.script.told(self.bounds.reply_mb * 1024 * 1024, len(self.frames))


class Share:
    """One file's part of a worker, which an attempt listens to as to a worker of its own."""

    def __init__(self, worker: _SharedWorker, scan: Parts, messages: int) -> None:
        self.heard = Heard()
        self.heard.note(scan)
        self._worker = worker
        self._scan: Parts | None = scan
        self._left = messages
        """How many messages are still to come: one when the file is loaded, and one an answer."""

    def receive(self, seconds: float) -> Any:
        """Take one message. Raises Apart when none comes in time and form."""
        try:
            told = wire.unpack(*self.receive_parts(seconds))
        except wire.WireError as error:
            self._worker.end()
            raise Apart from error
        if isinstance(told, dict) and "error" in told:
            self._is_over()  # nothing is asked of a file that cannot be loaded
        return told

    def receive_parts(self, seconds: float) -> Parts:
        """Take one message as it came. Raises Apart when none comes in time."""
        if self._scan is not None:
            scan, self._scan = self._scan, None
            return scan
        parts = self._worker.take(self, seconds)
        self._left -= 1
        if not self._left:
            self._is_over()
        return parts

    def starved_seconds(self) -> float:
        """For how long the worker was ready to run and got no processor."""
        return self._worker.starved_seconds()

    def close(self) -> None:
        """Hear no more. Where there was more to come nobody can be heard after it."""
        if self._left:
            self._worker.end()

    def _is_over(self) -> None:
        self._left = 0
        self._worker.pass_on(self)


class _SharedWorker:
    """The worker, and whose turn it is."""

    def __init__(self, worker: Worker, sandbox: Sandbox) -> None:
        self._worker: Worker | None = worker
        self._sandbox = sandbox
        self._turns: deque[Share] = deque()

    def begin(self, parts: Sequence[Part]) -> list[Share | None]:
        """Hand over the files and hear which of them can share. Raises WorkerLost, MachineError, WireError."""
        worker = self._worker
        assert worker is not None
        told = {"together": [part.told() for part in parts]}
        worker.send(wire.pack(told, wire.MAX_HEADER_BYTES), START_SECONDS)
        worker.send_ahead([frame for part in parts for frame in part.frames])
        scans = [worker.receive_parts(START_SECONDS) for _ in parts]
        chosen = worker.receive(START_SECONDS)["together"]
        shares = [
            Share(self, scan, 1 + len(part.frames)) if is_chosen else None
            for part, scan, is_chosen in zip(parts, scans, chosen, strict=True)
        ]
        self._turns.extend(share for share in shares if share is not None)
        if not self._turns:
            self.end()
        return shares

    def take(self, share: Share, seconds: float) -> Parts:
        """The next message, if it is this one's turn. Raises Apart."""
        if self._worker is None or self._turns[0] is not share:
            self.end()
            raise Apart
        self._worker.heard = share.heard
        try:
            header, block = self._worker.receive_parts(seconds)
        except (WorkerLost, MachineError) as error:
            self.end()
            raise Apart from error
        if OUT_OF_MEMORY in header:
            self.end()
            raise Apart
        return header, block

    def pass_on(self, share: Share) -> None:
        """Let the next one have its turn."""
        if self._turns and self._turns[0] is share:
            self._turns.popleft()
            if not self._turns:
                self.end()

    def starved_seconds(self) -> float:
        return self._worker.starved_seconds() if self._worker else 0.0

    def end(self) -> None:
        """End the worker: who has not been heard by now is run alone."""
        if self._worker is not None:
            self._sandbox.forget(self._worker)
            self._worker = None
            self._turns.clear()


def shared_by(parts: Sequence[Part], sandbox: Sandbox) -> list[Share | None]:
    """Start one worker for these files; the share of each, or None for one that must be run alone."""
    nobody: list[Share | None] = [None] * len(parts)
    try:
        worker = _SharedWorker(sandbox.spawn(_bounds(parts)), sandbox)
    except MachineError:
        return nobody  # whoever is run alone will be told
    try:
        return worker.begin(parts)
    except (WorkerLost, MachineError, wire.WireError):
        worker.end()
        return nobody


def _bounds(parts: Sequence[Part]) -> Bounds:
    """Room for the largest of them, time for all."""
    return Bounds(
        cpu_seconds=sum(part.bounds.cpu_seconds for part in parts),
        memory_mb=max(part.bounds.memory_mb for part in parts),
        reply_mb=max(part.bounds.reply_mb for part in parts),
        output_kb=max(part.bounds.output_kb for part in parts),
    )
