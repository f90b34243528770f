"""Workers where fork is not available: one child with torch loaded waits; when it is used, the next one starts.

For a learner's own practice only. A crash or an endless loop costs one child.

Each pipe has its own thread, so that no call blocks: not every system can wait for several pipes at once.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from io import FileIO
from types import TracebackType
from typing import cast

from .clock import clock_of_child
from .inside import wire
from .launch import Launched, MachineError, launch_spawned
from .levels import Level
from .worker import LINGER_SECONDS, Bounds, Worker, WorkerLost, ending_of

CHUNK = 1 << 16


class Incoming:
    """Passes on what arrives in a pipe, with the time of arrival, until the pipe ends."""

    def __init__(self, pipe: FileIO, take: Callable[[bytes, float], None], end: Callable[[float], None]) -> None:
        self._pipe = pipe
        self._take = take
        self._end = end
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def await_end(self, seconds: float) -> None:
        """Wait until everything has been passed on, at most `seconds`."""
        self._thread.join(seconds)

    def _run(self) -> None:
        with contextlib.suppress(OSError), self._pipe:
            while part := self._pipe.read(CHUNK):
                self._take(part, time.monotonic())
        self._end(time.monotonic())


class Outgoing:
    """Writes frames into a pipe in order, without blocking the caller."""

    def __init__(self, pipe: FileIO) -> None:
        self._pipe = pipe
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()

    def give(self, frame: bytes) -> None:
        """Queue a whole frame. If the reader is gone, the judge notices when it waits for the answer."""
        self._waiting.put(frame)

    def stop(self) -> None:
        """Write no more; a write in progress ends when the pipe does."""
        self._waiting.put(None)

    def _run(self) -> None:
        with contextlib.suppress(OSError), self._pipe:  # Windows has other error codes than EPIPE
            while (frame := self._waiting.get()) is not None:
                view = memoryview(frame)
                while view:
                    view = view[self._pipe.write(view[:CHUNK]) :]


WARM_SECONDS = 120.0
"""The first import of torch can take this long under a virus scanner."""
LAST_OUTPUT_SECONDS = 0.5


class SpareWorker(Worker):
    """A child process and the three pipes to it. Until `bind` it is the waiting child."""

    PRELIMINARIES = 2  # "warm" when torch is loaded, "ready" when its limits are set

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        super().__init__(process.pid, Bounds())
        self.process = process
        self._clock = clock_of_child(process.pid)
        self._cpu_before = 0.0
        # with bufsize=0 they are raw files, although Popen's annotation says otherwise
        self._questions = Outgoing(cast(FileIO, process.stdin))
        self._answers = Incoming(cast(FileIO, process.stdout), self.arrived, self.ended)
        self._output = Incoming(cast(FileIO, process.stderr), self._take_output, lambda at: None)
        self._is_warm = False

    def await_warm(self, deadline: float) -> None:
        """Wait until torch is loaded. If that fails, raises MachineError with the last line that the child printed."""
        if self._is_warm:
            return
        try:
            told = self._preliminary(deadline)
        except MachineError as error:
            self.close()
            self.await_end()
            lines = self.printed.decode("utf-8", "replace").strip().splitlines()
            raise MachineError(lines[-1][:300] if lines else "a worker could not be started") from error
        self._is_warm = told == {"warm": True}

    def bind(self, bounds: Bounds) -> None:
        """Send its limits; from then on it belongs to one learner's file."""
        self.bounds = bounds
        self._mailbox.most_block_bytes = self.reply_bytes
        self.printed.clear()
        self.printed_bytes = 0
        self._cpu_before = self._clock.worked()
        self._questions.give(
            wire.pack({"cpu_seconds": bounds.cpu_seconds, "memory_bytes": bounds.memory_mb * 1024 * 1024}, 0)
        )

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def kept_waiting(self, now: float) -> float:
        return min(self._clock.kept_waiting(self._mailbox.life(now) + self._cpu_before), self._mailbox.life(now))

    def cpu_spent(self) -> float:
        return max(0.0, self._clock.worked() - self._cpu_before)

    def _take_output(self, part: bytes, at: float) -> None:
        self.output_arrived(part, at)
        if self.is_flooded:
            self.process.kill()

    def arrived(self, data: bytes, at: float) -> None:
        super().arrived(data, at)
        with self._mailbox.changed:  # stop reading the pipe while the mailbox is full
            self._mailbox.changed.wait_for(lambda: not self._mailbox.is_full or self._mailbox.is_over)

    def _make_room(self) -> None:
        self._mailbox.changed.notify_all()

    def _write(self, frames: Sequence[bytes]) -> None:
        for frame in frames:
            self._questions.give(frame)

    def _how_it_ended(self) -> WorkerLost:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(LINGER_SECONDS)
        self._output.await_end(LAST_OUTPUT_SECONDS)
        return WorkerLost("flood") if self.is_flooded else ending_of(self.process.returncode)

    def close(self) -> None:
        """Kill the child, and on POSIX all its process group. Does not wait until it is gone."""
        if self.process.returncode is None:
            self._clock.stop()
            _kill_group(self.process)
        self.process.kill()
        self._mailbox.end(time.monotonic())
        self._questions.stop()

    def await_end(self) -> None:
        """Wait until a killed child is gone and all its output has been read."""
        self.process.wait()
        self._output.await_end(LAST_OUTPUT_SECONDS)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """The child leads its own process group, if there are groups; it is not reaped yet, so its pid is still its own."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)


class SpawnedWorkers:
    """Keeps one waiting child and hands it out. Takes one that is starting, or starts one, without waiting for it.

    If no child can be started, the first method that needs it raises MachineError.
    """

    level: Level = "process"

    def __init__(self, launched: Launched | None = None) -> None:
        self._starter = ThreadPoolExecutor(1)  # starting a process can take longer than a check
        self._taken: list[SpareWorker] = []
        self._ended: list[SpareWorker] = []
        self._waiting = self._start(launched)

    def spawn(self, bounds: Bounds) -> SpareWorker:
        """Return the waiting child once it is warm, and start the next one."""
        self.await_ready()
        worker = self._waiting.result()
        self._waiting = self._start()
        self._taken.append(worker)
        worker.bind(bounds)
        return worker

    def expect_many(self) -> None:
        """Does nothing: each child loads for itself."""

    def await_ready(self) -> None:
        """Wait until the waiting child is warm. Raises MachineError if it can't be; the next call tries another one."""
        if self._waiting.done() and not self._waiting.exception() and not self._waiting.result().is_running:
            self._replace_waiting()  # it was killed while it waited
        try:
            self._waiting.result().await_warm(time.monotonic() + WARM_SECONDS)
        except MachineError:
            self._replace_waiting()
            raise

    def forget(self, worker: Worker) -> None:
        """End a worker and drop it, without waiting for its end, which may take longer than a check."""
        assert isinstance(worker, SpareWorker)
        worker.close()
        self._taken = [each for each in self._taken if each is not worker]
        self._ended = [each for each in [*self._ended, worker] if each.is_running]

    def _start(self, launched: Launched | None = None) -> Future[SpareWorker]:
        return self._starter.submit(lambda: SpareWorker((launched or launch_spawned()).process))

    def _replace_waiting(self) -> None:
        self._end_waiting()
        self._waiting = self._start()

    def _end_waiting(self) -> None:
        with contextlib.suppress(MachineError):
            self.forget(self._waiting.result())

    def close(self) -> None:
        """End the waiting child and every worker, and wait until they are gone."""
        self._end_waiting()
        for worker in self._taken:
            self.forget(worker)
        for worker in self._ended:
            worker.await_end()
        self._starter.shutdown()

    def __enter__(self) -> SpawnedWorkers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
