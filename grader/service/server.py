"""The process of a warm judge: one for the present state of one course, until it has been idle for a while.

All grading runs in the main thread, one submission after another: torch's settings belong to a thread. Each caller has
a thread that waits for its replies.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Listener
from queue import Empty, SimpleQueue
from typing import NoReturn

from grader.sandbox.launch import Launched, MachineError, launch_ahead

from . import line as lines
from .line import Reply, Request
from .opening import kept_judges, stop_judge
from .place import Registration, forget, register, registered, remove_old_locks
from .purpose import Imported, Purpose
from .work import Work

IDLE_SECONDS = 15 * 60.0
LOOK_SECONDS = 3.0
"""How often an idle judge checks whether it should end."""
ABANDONED_SECONDS = 2.0
"""A judge ends this long after its caller has gone, if it is still at work on that request."""
CALLED_SECONDS = 60.0
"""A private judge that has had no caller by then ends: the process that started it is gone."""
SEND_SECONDS = 10.0
MOST_BYTES = 2 * 1024**3
"""A judge whose memory has grown beyond this ends after its answer."""
MOST_JUDGES = 2
"""Limit for each user: beyond it the oldest judge ends."""
POLL_SECONDS = 0.2


@dataclass(eq=False)
class Job:
    """One request, and where its replies go."""

    request: Request
    replies: SimpleQueue[Reply] = field(default_factory=SimpleQueue)
    is_over: threading.Event = field(default_factory=threading.Event)
    """Set when the last reply was sent, or the caller has gone."""
    is_abandoned: bool = False


def main() -> None:
    """Run the judge described by the command's arguments. Never returns."""
    purpose = Purpose.read(sys.argv[1:])
    launched: Launched | MachineError
    try:
        launched = launch_ahead(purpose.level)  # first, so that torch loads there meanwhile
    except MachineError as error:
        launched = error
    server = Server(purpose, Work(purpose, launched))
    server.listen()
    server.run()


class Server:
    """Accepts requests, has them done one after another, and ends when it is no longer needed."""

    def __init__(self, purpose: Purpose, work: Work) -> None:
        self._purpose = purpose
        self._work = work
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._doing: Job | None = None
        self._steps = 0
        """Number of replies so far: while it grows, callers in the queue get "waiting"."""
        self._callers = 0
        self._lock = threading.Lock()
        self._used = time.monotonic()
        self._had_callers = False
        self._registration: Registration | None = None
        self._imported = Imported(purpose.course.parent)

    # --- callers ------------------------------------------------------------------------------------------------

    def listen(self) -> None:
        """Register, and accept connections from now on. Raises OSError, ServiceError."""
        listener, address, family = lines.listen()
        key = secrets.token_bytes(32)
        purpose = self._purpose
        self._registration = Registration(
            name=purpose.name,
            pid=os.getpid(),
            address=address,
            family=family,
            key=key.hex(),
            course=str(purpose.course),
            level=purpose.level,
            since=time.time(),
        )
        try:
            register(purpose.folder, self._registration)
        except BaseException:  # such as a full disk
            lines.remove_socket(address, family)
            raise
        threading.Thread(target=self._accept, args=(listener, key), daemon=True).start()
        threading.Thread(target=self._make_room, daemon=True).start()

    def _accept(self, listener: Listener, key: bytes) -> None:
        while True:
            try:
                line = listener.accept()
            except OSError:
                time.sleep(POLL_SECONDS)  # such as too many open files
                continue
            threading.Thread(target=self._attend, args=(line, key), daemon=True).start()

    def _attend(self, line: Connection, key: bytes) -> None:
        """Serve one caller until it disconnects."""
        left: Job | None = None
        with line, self._counted():
            if not lines.admit(line, key):
                return
            self._had_callers = True
            with suppress(EOFError, OSError, ValueError, KeyError, TypeError):
                while left is None:
                    job = Job(Request.read(line.recv_bytes()))
                    self._jobs.put(job)
                    left = None if self._pass_on(job, line) else job
        if left is not None:
            self._give_up(left)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._lock:
            self._callers += 1
        try:
            yield
        finally:
            with self._lock:
                self._callers -= 1

    def _pass_on(self, job: Job, line: Connection) -> bool:
        """Send the replies to a request as they come; return whether the caller stayed to the end."""
        seen = self._steps
        try:
            while True:
                try:
                    reply = job.replies.get(timeout=POLL_SECONDS)
                except Empty:
                    if line.poll(0):  # a caller sends nothing while it waits, so it has disconnected
                        return False
                    if seen == self._steps or self._doing is job:
                        continue
                    seen, reply = self._steps, Reply("waiting")
                line.send_bytes(reply.to_bytes())
                if reply.is_last:
                    return True
        except OSError:
            return False
        finally:
            job.is_over.set()

    def _give_up(self, job: Job) -> None:
        """Drop a request whose caller has gone; if it is running, end this process.

        Other callers lose only the warm state: otherwise they would wait until the abandoned request is done.
        """
        job.is_abandoned = True
        time.sleep(ABANDONED_SECONDS)
        if self._doing is job:
            self._leave()

    def _make_room(self) -> None:
        """End the oldest judges when there are too many. They still answer the requests they have."""
        remove_old_locks(self._purpose.folder)
        others = [each for each in kept_judges(self._purpose.folder) if each != self._registration]
        for each in sorted(others, key=lambda each: each.since)[: max(0, len(others) + 1 - MOST_JUDGES)]:
            stop_judge(self._purpose.folder, each)

    # --- grading ------------------------------------------------------------------------------------------------

    def run(self) -> NoReturn:
        """Do one request after another, until this judge is no longer needed."""
        while True:
            try:
                job = self._jobs.get(timeout=LOOK_SECONDS)
            except Empty:
                if self._is_of_no_use():
                    self._leave()
                continue
            if not job.is_abandoned:
                self._doing = job
                self._do(job)
                self._doing = None
                self._used = time.monotonic()

    def _do(self, job: Job) -> None:
        if job.request.what == "end":
            self._leave(job, Reply("done"))
        if self._is_stale():
            self._leave(job, Reply("stale"))

        def send(reply: Reply) -> None:
            self._steps += 1
            job.replies.put(reply)

        send(Reply("begun"))
        last = self._work.answer(job.request, send)
        if last.kind in ("machine", "broken"):
            self._leave(job, last)  # its state is unknown now
        if self._is_stale():
            self._leave(job, Reply("stale"))
        if peak_bytes() > MOST_BYTES:
            self._leave(job, last)
        job.replies.put(last)

    def _is_stale(self) -> bool:
        return self._purpose.is_stale() or self._imported.has_changed()

    def _is_of_no_use(self) -> bool:
        if self._purpose.is_private:
            is_awaited = not self._had_callers and time.monotonic() - self._used < CALLED_SECONDS
            return not self._callers and not is_awaited
        return (
            time.monotonic() - self._used > IDLE_SECONDS
            or self._is_stale()
            or registered(self._purpose.folder, self._purpose.name) != self._registration
        )

    def _leave(self, job: Job | None = None, last: Reply | None = None) -> NoReturn:
        """Deregister, send the last reply, and exit, with the zygote and all workers."""
        if self._registration is not None:
            forget(self._purpose.folder, self._registration)
            lines.remove_socket(self._registration.address, self._registration.family)
        if job is not None and last is not None:
            job.replies.put(last)
            job.is_over.wait(SEND_SECONDS)
        with suppress(Exception):
            self._work.close()
        if self._purpose.is_private:
            shutil.rmtree(self._purpose.folder, ignore_errors=True)
        os._exit(0)


def peak_bytes() -> int:
    """The peak memory of this process in bytes; 0 where the system doesn't say."""
    try:
        import resource
    except ImportError:
        return 0
    with suppress(OSError, ValueError, IndexError), open("/proc/self/status", "rb") as status:
        # on Linux, ru_maxrss includes the process that started this one
        (told,) = (line for line in status if line.startswith(b"VmHWM:"))
        return int(told.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    main()
