"""Where workers come from: forked by a zygote at one isolation level, or children that were started ahead.

A forked process is known by a socket on which the zygote tells of its birth and its end. Where fork is not available,
for a learner's own practice, one child with torch loaded waits; when it is used, the next one starts. A crash or an
endless loop costs one child.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
from io import FileIO
from typing import Any, cast

from .inside import wire
from .levels import Launched, Level, MachineError, launch, launch_spawned, launch_zygote
from .worker import MAX_MESSAGE_BYTES, Bounds, ChildProcess, ForkedProcess, Worker

ZYGOTE_SECONDS = 60.0
END_SECONDS = 5.0
WIDE_PIPE_BYTES = 1 << 20
"""Requested capacity of a pipe: a writer blocks only when this much is unread."""
TORCH_IS_ELSEWHERE = (
    "learners' code finds no torch: it sees the packages of this Python's own environment only, not those installed "
    "with --user or named in PYTHONPATH; install torch there"
)


class Sandbox:
    """Starts a zygote, or takes one that is starting, and returns at once, so that torch loads meanwhile.

    With a zygote shared with other judges it ends only its own workers; if that zygote is gone before it was ready, it
    starts one of its own. When this machine can't isolate at `level`, the first method that needs the zygote raises
    MachineError.
    """

    def __init__(self, level: Level, launched: Launched | None = None) -> None:
        self.level = level
        self._take(launched or launch_zygote(level))
        self._ready = False
        self._is_closed = False
        self._changing = threading.RLock()
        """Several exercises may wait for the start, each in a thread, while it is closed in another."""

    def _take(self, started: Launched) -> None:
        assert started.control is not None
        self._process, self._control = started.process, started.control

    def spawn(self, bounds: Bounds) -> Worker:
        """Order one more worker; returns before it exists. Raises MachineError when the zygote is gone."""
        self.await_ready()
        limits = {"cpu_seconds": bounds.cpu_seconds, "memory_bytes": bounds.memory_mb * 1024 * 1024}
        order = {**limits, "needs_all": bounds.needs_all}
        with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:
            try:
                given, questions = _pipe(theirs, ours)
                answers, told = _pipe(ours, theirs)
                life, their_life = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            except OSError as error:
                raise MachineError(f"no pipe could be made ({error.strerror})") from error
            theirs.enter_context(their_life)
            ours.enter_context(life)
            passed = [each.fileno() for each in (given, told, their_life)]
            try:
                socket.send_fds(self._control, [json.dumps(order).encode()], passed)
            except OSError as error:
                with self._changing:
                    raise MachineError(self._why_it_ended()) from error
            ours.pop_all()
        return Worker(ForkedProcess(life), questions, answers, bounds)

    def await_ready(self) -> None:
        """Wait until the zygote has loaded torch and prepared its rules. Raises MachineError if it can't."""
        with self._changing:
            if not self._ready:
                self._begin()

    def _begin(self) -> None:
        told = self._told_at_start()
        if told is None and self._process is None and not self._is_closed:
            self._control.close()
            self._take(launch_zygote(self.level))
            told = self._told_at_start()
        if told is None or "lockdown" in told:
            reason = told["lockdown"] if told else self._why_it_ended()
            self.close()
            raise MachineError(str(reason))
        self._ready = True

    def _told_at_start(self) -> dict[str, Any] | None:
        """What the zygote says of itself; None when it ends or takes too long."""
        with contextlib.suppress(OSError):
            self._control.settimeout(ZYGOTE_SECONDS)
            if message := self._control.recv(MAX_MESSAGE_BYTES):
                told: dict[str, Any] = json.loads(message)
                return told
        return None

    def _why_it_ended(self) -> str:
        if self._process is None or self._is_closed:
            return "the sandbox was ended from outside"
        try:
            _, errors = self._process.communicate(timeout=2)
        except subprocess.TimeoutExpired:
            return f"the sandbox did not start within {ZYGOTE_SECONDS:.0f} seconds"
        lines = errors.decode("utf-8", "replace").strip().splitlines()
        if not lines:
            return "the sandbox could not be started"
        return TORCH_IS_ELSEWHERE if "No module named 'torch'" in lines[-1] else lines[-1][:300]

    def close(self) -> None:
        """End the zygote, and with it every worker; one that other judges use too goes on."""
        self._is_closed = True
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)  # whoever waits for the start is woken
        with self._changing:
            self._control.close()
            if self._process is not None:
                _end(self._process)


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


def _pipe(reads: contextlib.ExitStack, writes: contextlib.ExitStack) -> tuple[FileIO, FileIO]:
    """Both ends of a pipe, each closed by whom it belongs to."""
    read, write = os.pipe2(os.O_CLOEXEC)
    ends = reads.enter_context(FileIO(read, "r")), writes.enter_context(FileIO(write, "w"))
    with contextlib.suppress(ImportError, OSError):  # at the user's limit for pipe memory a small pipe works too
        import fcntl

        fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, WIDE_PIPE_BYTES)
    return ends


# --- without fork -----------------------------------------------------------------------------------------------------

WARM_SECONDS = 120.0
"""The first import of torch can take this long under a virus scanner."""


class SpawnedWorkers:
    """Keeps one waiting child and hands it out, to one exercise at a time. Takes one that is starting, or starts one.

    If no child can be started, or gets warm, the first method that needs it raises MachineError.
    """

    def __init__(self, launched: Launched | None = None) -> None:
        self._waiting: Worker | None = _worker_of(launched) if launched else None
        self._taken: list[Worker] = []
        self._is_closed = False
        self._changing = threading.Lock()

    def spawn(self, bounds: Bounds) -> Worker:
        """Return the waiting child once it is warm, and start the next one. Raises MachineError."""
        order = wire.pack({"cpu_seconds": bounds.cpu_seconds, "memory_bytes": bounds.memory_mb * 1024 * 1024}, 0)
        with self._changing:
            worker = self._warm()
            worker.bounds = bounds
            worker.send([order])
            self._taken = [each for each in self._taken if _child(each).popen.poll() is None] + [worker]
            self._waiting = None
            with contextlib.suppress(MachineError):  # whoever needs it will be told
                self._waiting = _worker_of(launch_spawned())
        return worker

    def await_ready(self) -> None:
        """Wait until the waiting child is warm. Raises MachineError if it can't be; the next call tries another one."""
        with self._changing:
            self._warm()

    def _warm(self) -> Worker:
        if self._is_closed:
            raise MachineError("the sandbox was ended from outside")
        waiting = self._waiting
        if waiting and _child(waiting).popen.poll() is not None:  # it was killed while it waited
            waiting.close()
            waiting = None
        worker = self._waiting = waiting or _worker_of(launch_spawned())
        try:
            worker.await_ready(WARM_SECONDS)
        except MachineError as error:
            worker.close()
            self._waiting = None
            raise MachineError(_child(worker).last_words()) from error
        cast(FileIO, _child(worker).popen.stderr).close()  # from now on it prints nowhere
        return worker

    def close(self) -> None:
        """End the waiting child and every worker, and wait until they are gone."""
        self._is_closed = True
        if waiting := self._waiting:
            waiting.close()  # whoever waits for it is woken
        with self._changing:
            for worker in [*self._taken, *filter(None, [self._waiting])]:
                worker.close()
                _child(worker).popen.wait()


def _worker_of(launched: Launched) -> Worker:
    popen = launched.process
    assert popen is not None
    # with bufsize=0 they are raw files, although Popen's annotation says otherwise
    return Worker(ChildProcess(popen), cast(FileIO, popen.stdin), cast(FileIO, popen.stdout), Bounds())


def _child(worker: Worker) -> ChildProcess:
    return cast(ChildProcess, worker.process)


AnySandbox = Sandbox | SpawnedWorkers


def open_sandbox(level: Level, launched: Launched | None = None) -> AnySandbox:
    """The sandbox around a process that was launched for it, or is launched now; does not wait for it.

    Raises MachineError when this machine lacks what the level needs.
    """
    started = launched or launch(level)
    return SpawnedWorkers(started) if started.control is None else Sandbox(level, started)
