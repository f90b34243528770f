"""How commands reach the judge that is kept warm: found, started when there is none, asked once more when it broke."""

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

from .line import Reply, Request, call, mismatch_read, take_down
from .place import Registration, ServiceError, forget, registered, starting_lock
from .purpose import Purpose

if TYPE_CHECKING:
    from grader.intake import Submission
    from grader.mismatch import Shown
    from grader.record import Record

START_SECONDS = 30.0
"""For a process to begin, before it loads anything heavy."""
POLL_SECONDS = 0.005
ANSWER_SECONDS = 900.0
"""Between two replies: far beyond the judge's own deadlines, in case these fail."""
MOST_TURNS = 5
"""How often another judge is looked for when one ended before it had begun: it was idle, or the course changed."""


class _Gone(Exception):
    """There is nobody at the other end any more."""


class JudgeLine:
    """The line to a judge for one course.yml at one level."""

    def __init__(self, folder: Path | None, course: Path, level: Level) -> None:
        """Find that judge, or start it. Raises ServiceError when there can be none.

        folder: where judges are known; None for a private one, which nobody else finds and which ends with this line.
        """
        self._folder = folder
        self._course = course.absolute()  # the judge works in another folder
        self._level = level
        self._private: Path | None = None
        self._line: Connection | None = None
        self._known: Registration | None = None
        self._connect()

    def send(self, request: Request) -> None:
        """Ask; `replies` has what comes. Raises ServiceError."""
        if self._line is None:
            self._connect()
        assert self._line is not None
        with self._whole(), suppress(OSError):  # it has ended: `replies` finds out
            self._line.send_bytes(request.to_bytes())

    def ask(self, request: Request, on_the_way: Callable[[Reply], None] = lambda reply: None) -> Reply:
        """The last reply to a request. Raises MachineError, GraderBroken, ServiceError."""
        self.send(request)
        return self.replies(request, on_the_way)

    def replies(self, request: Request, on_the_way: Callable[[Reply], None] = lambda reply: None) -> Reply:
        """Wait for the last reply to what was sent. A judge that breaks costs one more try, and no verdict.

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
        """Hang up; a private judge ends then."""
        if self._line is not None:
            self._line.close()
            self._line = None
        if self._private is not None:  # the judge does all this itself, unless it was killed
            shutil.rmtree(self._private, ignore_errors=True)
            self._private = None
            if self._known is not None:
                take_down(self._known.address, self._known.family)

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Whoever is interrupted in here hangs up: what still came would look like the answer to the next request."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _receive(self) -> Reply:
        """The next reply. Raises _Gone when there is nobody any more."""
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
        """For a private judge; never one that was there before, which others may have made anew."""
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
    """Start a judge, or take the one that somebody else starts at this moment. Raises ServiceError."""
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
    # this package's own folder comes first on the path there, whatever lies in the current one
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
    """A judge that is kept warm, asked as one in this process would be."""

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
        """As Judge.grade does. Raises MachineError, GraderBroken."""
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
        """There is nothing to wait for: the judge says so when it cannot grade."""

    def close(self) -> None:
        """Hang up."""
        self._line.close()
