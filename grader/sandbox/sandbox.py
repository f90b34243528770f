"""A zygote, started at one isolation level, and the workers forked from it.

A worker's process is known by a socket on which the zygote tells of its birth and its end.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import threading
import time
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any

from .levels import JoinedZygote, Launched, LaunchedZygote, Level, MachineError, launch, launch_zygote
from .spare import SpawnedWorkers
from .worker import START_SECONDS, Bounds, Worker, WorkerLost, ending_of, processor_seconds

MAX_MESSAGE_BYTES = 4096


class ForkedProcess:
    """A forked process. The zygote kills it when `life`, this end of the socket, is closed."""

    def __init__(self, life: socket.socket) -> None:
        self._life = life
        self._lock = threading.Lock()
        self._pidfd = self._pid = -1
        self._worked = 0.0
        self._code: int | None = None
        self._has_ended = False

    def worked(self) -> float:
        """Seconds of processor time of all its threads; when it has ended, what the zygote counted."""
        with self._lock:
            if self._pid < 0:
                self._hear(START_SECONDS)
            self._hear(0.0)
            if self._pid > 0 and not self._has_ended:
                self._worked = max(self._worked, processor_seconds(self._pid) or 0.0)
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
        if self._has_ended or not _has_come(self._life, seconds):
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
            self._pid = _pid_of(self._pidfd)
        else:
            self._has_ended, self._code, self._worked = True, told["code"], told["cpu_seconds"]
        return True


def _has_come(life: socket.socket, seconds: float) -> bool:
    poller = select.poll()
    poller.register(life, select.POLLIN)
    return bool(poller.poll(max(0.0, seconds) * 1000))


def _pid_of(pidfd: int) -> int:
    """The pid of a process in this process's namespace; 0 when it has ended, so that there is no clock to ask."""
    lines = Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines()
    return max(0, next(int(line.removeprefix("Pid:")) for line in lines if line.startswith("Pid:")))


# --- the zygote -------------------------------------------------------------------------------------------------------

ZYGOTE_SECONDS = 60.0
END_SECONDS = 5.0
F_SETPIPE_SZ = 1031
WIDE_PIPE_BYTES = 1 << 20
"""Requested capacity of a pipe: a writer blocks only when this much is unread."""
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
        self._ready = False
        self._is_closed = False
        self._changing = threading.RLock()
        """Several exercises may wait for the start, each in a thread, while it is closed in another."""

    def _take(self, started: LaunchedZygote | JoinedZygote) -> None:
        self._process = started.process if isinstance(started, LaunchedZygote) else None
        self._control = started.control

    def spawn(self, bounds: Bounds) -> Worker:
        """Order one more worker; returns before it exists. Raises MachineError when the zygote is gone."""
        self.await_ready()
        order = {"cpu_seconds": bounds.cpu_seconds, "memory_bytes": bounds.memory_mb * 1024 * 1024}
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


def _pipe(reads: contextlib.ExitStack, writes: contextlib.ExitStack) -> tuple[FileIO, FileIO]:
    """Both ends of a pipe, each closed by whom it belongs to."""
    read, write = os.pipe2(os.O_CLOEXEC)
    ends = reads.enter_context(FileIO(read, "r")), writes.enter_context(FileIO(write, "w"))
    with contextlib.suppress(ImportError, OSError):  # at the user's limit for pipe memory a small pipe works too
        import fcntl

        fcntl.fcntl(write, F_SETPIPE_SZ, WIDE_PIPE_BYTES)
    return ends


AnySandbox = Sandbox | SpawnedWorkers


def open_sandbox(level: Level, launched: Launched | JoinedZygote | None = None) -> AnySandbox:
    """The sandbox around a process that was launched for it, or is launched now; does not wait for it.

    Raises MachineError when this machine lacks what the level needs.
    """
    started = launched or launch(level)
    return Sandbox(level, started) if isinstance(started, (LaunchedZygote, JoinedZygote)) else SpawnedWorkers(started)
