"""Workers where fork is not available: one child with torch loaded waits; when it is used, the next one starts.

For a learner's own practice only. A crash or an endless loop costs one child.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from concurrent.futures import Future, ThreadPoolExecutor
from io import FileIO
from types import TracebackType
from typing import cast

from .inside import wire
from .levels import Launched, Level, MachineError, launch_spawned
from .worker import Bounds, Worker, WorkerLost, ending_of, processor_seconds

WARM_SECONDS = 120.0
"""The first import of torch can take this long under a virus scanner."""


class ChildProcess:
    """A child of this process."""

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self.popen = popen
        self._worked: float | None = None

    def worked(self) -> float | None:
        """Seconds of processor time of all its threads, as last counted; None where the system does not count them."""
        if self.popen.poll() is None and (counted := processor_seconds(self.popen.pid)) is not None:
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
                os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.kill()

    def last_words(self) -> str:
        """Wait until it is gone; return the last line that it printed."""
        self.popen.wait()
        with cast(FileIO, self.popen.stderr) as printed:
            lines = printed.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:300] if lines else "a worker could not be started"


class SpawnedWorkers:
    """Keeps one waiting child and hands it out. Takes one that is starting, or starts one, without waiting for it.

    If no child can be started, the first method that needs it raises MachineError.
    """

    level: Level = "process"

    def __init__(self, launched: Launched | None = None) -> None:
        self._starter = ThreadPoolExecutor(1)  # starting a process can take longer than a check
        self._taken: list[Worker] = []
        self._waiting = self._start(launched)

    def spawn(self, bounds: Bounds) -> Worker:
        """Return the waiting child once it is warm, and start the next one. Raises MachineError."""
        self.await_ready()
        worker = self._waiting.result()
        self._waiting = self._start()
        self._taken = [each for each in self._taken if _popen(each).poll() is None] + [worker]
        worker.bounds = bounds
        worker.send([wire.pack({"cpu_seconds": bounds.cpu_seconds, "memory_bytes": bounds.memory_mb * 1024 * 1024}, 0)])
        return worker

    def await_ready(self) -> None:
        """Wait until the waiting child is warm. Raises MachineError if it can't be; the next call tries another one."""
        if self._waiting.done() and not self._waiting.exception() and _popen(self._waiting.result()).poll() is not None:
            self._replace_waiting()  # it was killed while it waited
        try:
            _await_warm(self._waiting.result())
        except MachineError:
            self._replace_waiting()
            raise

    def _start(self, launched: Launched | None = None) -> Future[Worker]:
        def start() -> Worker:
            popen = (launched or launch_spawned()).process
            # with bufsize=0 they are raw files, although Popen's annotation says otherwise
            return Worker(ChildProcess(popen), cast(FileIO, popen.stdin), cast(FileIO, popen.stdout), Bounds())

        return self._starter.submit(start)

    def _replace_waiting(self) -> None:
        with contextlib.suppress(MachineError):
            self._waiting.result().close()
        self._waiting = self._start()

    def close(self) -> None:
        """End the waiting child and every worker, and wait until they are gone."""
        with contextlib.suppress(MachineError):
            self._taken.append(self._waiting.result())
        for worker in self._taken:
            worker.close()
        for worker in self._taken:
            _popen(worker).wait()
        self._starter.shutdown()

    def __enter__(self) -> SpawnedWorkers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _await_warm(worker: Worker) -> None:
    try:
        worker.await_ready(WARM_SECONDS)
    except MachineError as error:
        worker.close()
        raise MachineError(_child(worker).last_words()) from error
    cast(FileIO, _child(worker).popen.stderr).close()  # from now on it prints nowhere


def _child(worker: Worker) -> ChildProcess:
    return cast(ChildProcess, worker.process)


def _popen(worker: Worker) -> subprocess.Popen[bytes]:
    return _child(worker).popen
