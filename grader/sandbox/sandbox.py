"""A zygote, started at one isolation level, and the workers forked from it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import time
from types import TracebackType
from typing import Any

from .forked import ForkedWorker
from .launch import JoinedZygote, Launched, LaunchedZygote, MachineError, launch, launch_zygote
from .levels import Level
from .pipes import Pump
from .spare import SpawnedWorkers
from .worker import END_SECONDS, Bounds, Worker

START_SECONDS = 60.0
MAX_MESSAGE_BYTES = 4096
TORCH_IS_ELSEWHERE = (
    "learners' code finds no torch: it sees the packages of this Python's own environment only, not those installed "
    "with --user or named in PYTHONPATH; install torch there"
)


class Sandbox:
    """Starts a zygote, or takes one that is starting, and returns at once, so that torch loads meanwhile.

    With a zygote shared with other judges (JoinedZygote) it ends only its own workers; if that zygote is gone before it
    was ready, it starts one of its own. When this machine can't isolate at `level`, the first method that needs the
    zygote raises MachineError.
    """

    def __init__(self, level: Level, launched: LaunchedZygote | JoinedZygote | None = None) -> None:
        self.level = level
        self._take(launched or launch_zygote(level))
        self._pump = Pump()
        self._next = 0
        self._ready = False
        self._known: set[int] = set()
        self._pidfds: dict[int, int] = {}
        self._codes: dict[int, int] = {}
        self._cpu_seconds: dict[int, float] = {}
        self._has_ended = False

    def _take(self, started: LaunchedZygote | JoinedZygote) -> None:
        self._process = started.process if isinstance(started, LaunchedZygote) else None
        self._control = started.control

    def spawn(self, bounds: Bounds) -> ForkedWorker:
        """Request one more worker; returns before it exists."""
        self.await_ready()
        self._next += 1
        order = {
            "spawn": self._next,
            "cpu_seconds": bounds.cpu_seconds,
            "memory_bytes": bounds.memory_mb * 1024 * 1024,
        }
        ours, theirs = _three_pipes()
        self._known.add(self._next)
        worker = ForkedWorker(self._next, bounds, self, self._pump, *ours)
        try:
            socket.send_fds(self._control, [json.dumps(order).encode()], theirs)
        except OSError as error:
            self.forget(worker)
            raise MachineError(self._why_it_ended()) from error
        finally:
            for fd in theirs:
                os.close(fd)
        return worker

    def expect_many(self) -> None:
        """Have the zygote load the rarely used parts of torch before the next fork. Does not wait."""
        with contextlib.suppress(OSError):  # the first call that needs the zygote reports why it is gone
            self._control.send(json.dumps({"many": True}).encode())

    def await_ready(self) -> None:
        """Wait until the zygote has loaded torch and prepared its rules. Raises MachineError if it can't."""
        if self._ready:
            return
        told = self._receive(time.monotonic() + START_SECONDS)
        if told is None and self._process is None and self._control.fileno() >= 0:
            self._control.close()
            self._has_ended = False
            self._take(launch_zygote(self.level))
            told = self._receive(time.monotonic() + START_SECONDS)
        if told is None or "lockdown" in told:
            reason = told["lockdown"] if told else self._why_it_ended()
            self.close()
            raise MachineError(str(reason))
        self._ready = True

    def pidfd_of(self, number: int, deadline: float) -> int:
        """The pidfd of a worker. Raises MachineError when the zygote does not send it in time."""
        while number not in self._pidfds:
            if self._receive(deadline) is None:
                raise MachineError("the sandbox does not answer")
        return self._pidfds[number]

    def exit_code_of(self, number: int, deadline: float) -> int | None:
        """The exit code of a worker (negative: killed by that signal), or None if it still runs at `deadline`.

        Raises MachineError when the zygote has ended too: then the worker died with it, not by its own doing.
        """
        while number not in self._codes:
            if self._receive(deadline) is None:
                if self._has_ended:
                    raise MachineError("the sandbox was ended from outside")
                return None
        return self._codes[number]

    def cpu_spent_by(self, number: int) -> float:
        """Processor seconds of a worker that has ended; 0 while they are not known."""
        return self._cpu_seconds.get(number, 0.0)

    def forget(self, worker: Worker) -> None:
        """End a worker, drop what is stored about it and ignore later messages about it."""
        worker.close()
        self._known.discard(worker.number)
        pidfd = self._pidfds.pop(worker.number, None)
        if pidfd is not None:
            os.close(pidfd)
        self._codes.pop(worker.number, None)
        self._cpu_seconds.pop(worker.number, None)

    def _receive(self, deadline: float) -> dict[str, Any] | None:
        """Read one message from the zygote; None when none comes by `deadline` or the zygote has ended."""
        if self._control.fileno() < 0:  # closed because the zygote never became ready
            self._has_ended = True
            return None
        poller = select.poll()
        poller.register(self._control, select.POLLIN)
        if not poller.poll(max(0.0, deadline - time.monotonic()) * 1000):
            return None
        try:
            message, fds, _, _ = socket.recv_fds(self._control, MAX_MESSAGE_BYTES, 1)
        except OSError:
            message = b""
        if not message:
            self._has_ended = True
            return None
        told: dict[str, Any] = json.loads(message)
        if "spawned" in told:
            if not fds:
                return None
            if told["spawned"] in self._known:
                self._pidfds[told["spawned"]] = fds[0]
            else:
                os.close(fds[0])
        elif told.get("ended") in self._known:
            self._codes[told["ended"]] = told["code"]
            self._cpu_seconds[told["ended"]] = told["cpu_seconds"]
        return told

    def _why_it_ended(self) -> str:
        if self._process is None:
            return "the sandbox was ended from outside"
        try:
            _, errors = self._process.communicate(timeout=2)
        except subprocess.TimeoutExpired:
            return f"the sandbox did not start within {START_SECONDS:.0f} seconds"
        lines = errors.decode("utf-8", "replace").strip().splitlines()
        if not lines:
            return "the sandbox could not be started"
        return TORCH_IS_ELSEWHERE if "No module named 'torch'" in lines[-1] else lines[-1][:300]

    def close(self) -> None:
        """End the zygote and every worker; of a shared zygote, only one's own workers."""
        self._pump.close()
        self._control.close()
        if self._process is not None:
            _end(self._process)
        for pidfd in self._pidfds.values():
            os.close(pidfd)
        self._pidfds.clear()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a zygote, and with it every worker."""
    if process.poll() is None:
        # the whole group: bubblewrap's child may be waiting for a message from its parent, and would wait for ever
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=END_SECONDS)
    process.poll()  # reap it even if its orphaned child, still loading torch, keeps the pipe open


def _three_pipes() -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Questions, answers, output: our ends and the worker's. Raises MachineError when no descriptors are left."""
    made: list[int] = []
    try:
        for _ in range(3):
            made += os.pipe2(os.O_CLOEXEC)
    except OSError as error:
        for fd in made:
            os.close(fd)
        raise MachineError(f"no pipe could be made ({error.strerror})") from error
    question_read, questions, answers, answer_write, output, output_write = made
    return (questions, answers, output), (question_read, answer_write, output_write)


AnySandbox = Sandbox | SpawnedWorkers


def open_sandbox(level: Level, launched: Launched | JoinedZygote | None = None) -> AnySandbox:
    """The sandbox around a process that was launched for it, or is launched now; does not wait for it.

    Raises MachineError when this machine lacks what the level needs.
    """
    started = launched or launch(level)
    return Sandbox(level, started) if isinstance(started, (LaunchedZygote, JoinedZygote)) else SpawnedWorkers(started)
