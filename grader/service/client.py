"""The client of the service: finds a warm judge or starts one, and tries once more when it crashes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import Timeout

from grader.judge.errors import GraderBroken
from grader.sandbox.launch import MachineError
from grader.sandbox.levels import Level
from grader.starting import HOME

from .line import Reply, Request, call, mismatch_read, remove_socket
from .place import Registration, ServiceError, forget, registered, starting_lock
from .purpose import Purpose

if TYPE_CHECKING:
    from grader.intake import Submission
    from grader.mismatch import Shown
    from grader.record import Record

START_SECONDS = 30.0
"""Timeout for a judge's process to register, before it loads anything heavy."""
POLL_SECONDS = 0.005
ANSWER_SECONDS = 900.0
"""Timeout between two replies: far beyond the judge's own timeouts, in case these fail."""
MOST_TURNS = 5
"""How many judges are tried when each ends before it has begun: it was idle, or the course changed."""


class _Gone(Exception):
    """The judge has closed the connection."""


class JudgeLine:
    """A connection to a judge for one course.yml at one level."""

    def __init__(self, folder: Path | None, course: Path, level: Level) -> None:
        """Find that judge, or start it. Raises ServiceError when neither works.

        folder: where judges are registered; None for a private judge, which no other command finds and which ends with
        this connection.
        """
        self._folder = folder
        self._course = course.absolute()  # the judge has another working directory
        self._level = level
        self._private: Path | None = None
        self._line: Connection | None = None
        self._known: Registration | None = None
        self._connect()

    def send(self, request: Request) -> None:
        """Send a request; `replies` reads the answer. Raises ServiceError."""
        if self._line is None:
            self._connect()
        assert self._line is not None
        with self._whole(), suppress(OSError):  # the judge has ended: `replies` finds out
            self._line.send_bytes(request.to_bytes())

    def ask(self, request: Request, on_the_way: Callable[[Reply], None] = lambda reply: None) -> Reply:
        """Send a request and return its last reply. Raises MachineError, GraderBroken, ServiceError."""
        self.send(request)
        return self.replies(request, on_the_way)

    def replies(self, request: Request, on_the_way: Callable[[Reply], None] = lambda reply: None) -> Reply:
        """Wait for the last reply to the request sent. A judge that crashes is replaced once; no verdict is lost.

        Raises MachineError, GraderBroken, ServiceError.
        """
        crashes = 0
        for _ in range(MOST_TURNS):
            has_begun = False
            try:
                with self._whole():
                    while not (reply := self._receive()).is_last:
                        has_begun = has_begun or reply.kind != "waiting"
                        on_the_way(reply)
            except _Gone:
                crashes += has_begun
                if crashes > 1:
                    raise GraderBroken("The judge broke, twice over this: there is no verdict.") from None
            else:
                if reply.kind == "machine":
                    raise MachineError(reply.value)
                if reply.kind == "broken":
                    raise GraderBroken(reply.value)
                if reply.kind != "stale":
                    return reply
                self.close()
            self.send(request)
        raise ServiceError(
            "No judge lasts: the course or the program change while this is judged, or something ends it. Try again."
        )

    def close(self) -> None:
        """Close the connection; a private judge ends then."""
        if self._line is not None:
            self._line.close()
            self._line = None
        if self._private is not None:  # the judge removes these itself, unless it was killed
            shutil.rmtree(self._private, ignore_errors=True)
            self._private = None
            if self._known is not None:
                remove_socket(self._known.address, self._known.family)

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Close the connection on any interruption: replies still to come would be taken for the next request's."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _receive(self) -> Reply:
        """The next reply. Raises _Gone when the judge has gone or is silent for too long."""
        if self._line is None:
            raise _Gone
        try:
            if self._line.poll(ANSWER_SECONDS):
                return Reply.read(self._line.recv_bytes())
        except (EOFError, OSError):
            raise _Gone from None
        self._kill()
        raise _Gone

    def _kill(self) -> None:
        if self._known is not None:
            with suppress(OSError):
                os.kill(self._known.pid, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)

    def _connect(self) -> None:
        self.close()
        with self._whole():
            folder = self._folder or self._fresh_folder()
            purpose = Purpose.now(folder, self._course, self._level, is_private=self._folder is None)
            self._known, self._line = _reached(purpose) or _started(purpose)

    def _fresh_folder(self) -> Path:
        """A new folder for a private judge; never an existing one, which another user may have created."""
        try:
            self._private = Path(tempfile.mkdtemp(prefix="kata-"))
        except OSError as error:
            raise ServiceError(f"No temporary folder can be made: {error.strerror or error}.") from None
        return self._private


def _reached(purpose: Purpose) -> tuple[Registration, Connection] | None:
    known = registered(purpose.folder, purpose.name)
    if known is None:
        return None
    try:
        return known, call(known)
    except ServiceError:
        forget(purpose.folder, known)
        return None


def _started(purpose: Purpose) -> tuple[Registration, Connection]:
    """Start a judge, or take the one that another command is starting. Raises ServiceError."""
    try:
        with starting_lock(purpose.folder, purpose.name, START_SECONDS):
            if (found := _reached(purpose)) is not None:
                return found
            process = _launch(purpose)
            for _ in _until(time.monotonic() + START_SECONDS):
                if (found := _reached(purpose)) is not None:
                    return found
                if process.poll() is not None:
                    raise ServiceError("The judge that should be kept warm ended at once.")
    except Timeout:
        pass
    except OSError as error:
        raise ServiceError(f"No judge can be kept warm: {error.strerror or error}.") from None
    raise ServiceError("The judge that should be kept warm did not begin.")


def _until(deadline: float) -> Iterator[None]:
    while time.monotonic() < deadline:
        yield
        time.sleep(POLL_SECONDS)


def _launch(purpose: Purpose) -> subprocess.Popen[bytes]:
    # cwd puts this package first on the module path, whatever lies in the current folder
    detached: dict[str, Any] = {"start_new_session": True}
    if os.name == "nt":
        detached = {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP}  # type: ignore[attr-defined]
    return subprocess.Popen(
        [sys.executable, "-m", "grader.service.server", *purpose.to_arguments()],
        cwd=HOME,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **detached,
    )


class ServedJudge:
    """A warm judge in another process, with the interface of a judge in this one."""

    def __init__(self, line: JudgeLine, seed: int, only: Sequence[str], count: int) -> None:
        self._line = line
        self.seed = seed
        self.only = tuple(only)
        self._count = count

    @property
    def count(self) -> int:
        """How many exercises it grades."""
        return self._count

    def grade(
        self,
        submissions: Iterable[Submission],
        take: Callable[[Record], None],
        advance: Callable[[str], None] = lambda exercise: None,
        show: Shown | None = None,
    ) -> None:
        """As Judge.grade. Raises MachineError, GraderBroken."""
        for submission in submissions:
            take(self._grade(submission, advance, show))

    def _grade(self, submission: Submission, advance: Callable[[str], None], show: Shown | None) -> Record:
        from grader.record import Record

        done: set[str] = set()

        def on_the_way(reply: Reply) -> None:
            if reply.kind == "advance" and reply.value not in done:
                done.add(reply.value)
                advance(reply.value)
            elif reply.kind == "mismatch" and show is not None:
                show(submission.name, *mismatch_read(reply.value))

        try:
            last = self._line.ask(Request("grade", self.seed, self.only, submission), on_the_way)
        except ServiceError as error:
            raise GraderBroken(str(error)) from None
        return Record.from_json(last.value)

    def await_ready(self) -> None:
        """Nothing to wait for: the judge reports it when it cannot grade."""

    def close(self) -> None:
        """Close the connection."""
        self._line.close()
