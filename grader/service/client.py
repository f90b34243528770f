"""The judge for a command: the warm one, started if there is none, or else one in this process.

Also finds the warm judges, and ends them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, answer_challenge, deliver_challenge
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from grader.files import demand_own, lock_at
from grader.judge.faults import GraderBroken
from grader.sandbox.levels import Level, MachineError, launch_ahead
from grader.starting import HOME

from .registration import (
    NOT_LAST,
    REPLY,
    REQUEST,
    Registration,
    Reply,
    Request,
    ServiceError,
    course_stamp,
    judge_name,
    judges_folder,
    registered,
    unregister,
)

if TYPE_CHECKING:
    from grader.course import Course
    from grader.intake import Submission
    from grader.judge.grading import Judge
    from grader.mismatch import Shown
    from grader.record import Record

    AnyJudge: TypeAlias = "Judge | WarmJudge"

SWITCH = "KATA_SERVICE"
"""Environment variable: "0" turns the service off."""
START_SECONDS = 30.0
"""Timeout for a judge's process to register, before it loads anything heavy."""
POLL_SECONDS = 0.005
GREET_SECONDS = 10.0
"""Timeout for a judge to greet a caller, in case it was stopped."""
SILENT_SECONDS = 900.0
"""Timeout between two replies, far beyond the judge's own timeouts, in case these fail or it was stopped."""
MOST_JUDGES = 5
"""How many judges are asked when each ends before it has begun: it was idle, or the course changed."""
END_SECONDS = 5.0


def judge_for(course: Course, level: Level, seed: int, only: Sequence[str] = ()) -> AnyJudge:
    """A judge for these exercises of a course, all if none is named. Raises MachineError, GraderBroken."""
    if level != "none" and is_kept_warm():
        with suppress(ServiceError):  # then a judge in this process: slower, same verdicts
            return WarmJudge(course.root / "course.yml", level, seed, only)
    launched = None if level == "none" else launch_ahead(level)
    from grader.judge.grading import Judge

    return Judge(course, level, seed, only, launched)


def is_kept_warm() -> bool:
    """Whether the user wants judges kept warm."""
    return os.environ.get(SWITCH, "") != "0"


class WarmJudge:
    """The warm judge of a course at one level, with the interface of a judge in this process."""

    def __init__(self, course: Path, level: Level, seed: int, only: Sequence[str] = ()) -> None:
        """Find the judge for a course.yml, or start it. Raises ServiceError when neither works."""
        self._course = course.absolute()  # the judge has another working directory
        self._level: Level = level
        self.seed = seed
        self.choose(only)
        self._connect()[1].close()

    def choose(self, only: Sequence[str] = ()) -> None:
        """Grade these exercises from now on, all when none is named."""
        self._only = tuple(only)

    def grade(
        self,
        submissions: Iterable[Submission],
        take: Callable[[Record], None],
        advance: Callable[[str], None] = lambda exercise: None,
        show: Shown | None = None,
    ) -> None:
        """As Judge.grade. Raises MachineError, GraderBroken, ServiceError."""
        from grader.record import Record

        for submission in submissions:
            reply = self._ask(Request(self.seed, self._only, submission), advance)
            if show is not None:
                for shown in reply.mismatches:
                    show(submission.name, *shown)
            take(Record.from_json(reply.text))

    def close(self) -> None:
        """Nothing to close: each request has a connection of its own."""

    def _ask(self, request: Request, advance: Callable[[str], None]) -> Reply:
        """The record's reply to a request; a judge that crashes is replaced once."""
        crashes = 0
        for _ in range(MOST_JUDGES):
            judge, connection = self._connect()
            last = Reply("ended")
            with connection:
                for last in _replies(judge, connection, request):
                    if last.kind == "advance":
                        advance(last.text)
            if last.kind == "graded":
                return last
            if last.kind == "machine":
                raise MachineError(last.text)
            if last.kind == "broken":
                raise GraderBroken(last.text)
            crashes += last.kind in NOT_LAST
            if crashes > 1:
                raise GraderBroken("The judge broke, twice over this: there is no verdict.")
        raise ServiceError(
            "No judge lasts: the course or the program change while this is judged, or something ends it. Try again."
        )

    def _connect(self) -> tuple[Registration, Connection]:
        """Connect to the judge; start it if there is none. Raises ServiceError."""
        folder, name = judges_folder(), judge_name(self._course, self._level)
        if found := _reached(folder, name):
            return found[0]
        try:
            with lock_at(folder / "starting.lock", seconds=START_SECONDS):
                process, deadline = None, time.monotonic() + START_SECONDS
                while not (found := _reached(folder, name)):
                    if process is None:  # no other command has started one meanwhile
                        process = _launch(name, str(self._course), self._level, course_stamp(self._course))
                    if process.poll() is not None or time.monotonic() > deadline:
                        raise ServiceError("The judge that should be kept warm did not begin.")
                    time.sleep(POLL_SECONDS)
                return found[0]
        except OSError as error:
            raise ServiceError(f"No judge can be kept warm: {error.strerror or error}.") from None


def _launch(*arguments: str) -> subprocess.Popen[bytes]:
    apart: dict[str, Any] = {"start_new_session": True}
    if os.name == "nt":
        apart = {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP}  # type: ignore[attr-defined]
    nothing: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    # cwd puts this package first on the module path, whatever lies in the current folder
    return subprocess.Popen([sys.executable, "-m", "grader.service.server", *arguments], cwd=HOME, **nothing, **apart)


def _reached(folder: Path, name: str = "*") -> list[tuple[Registration, Connection]]:
    """The judges of that name, at most one, or all, with a connection to each. Others are unregistered."""
    found = []
    for judge in registered(folder, name):
        connection = None
        with suppress(ServiceError, OSError, EOFError, ValueError, TypeError, AssertionError, AuthenticationError):
            if os.name != "nt":
                demand_own(Path(judge.address).parent)
            connection = Client(judge.address)
            if connection.poll(GREET_SECONDS):
                answer_challenge(connection, bytes.fromhex(judge.key))
                deliver_challenge(connection, bytes.fromhex(judge.key))
                found.append((judge, connection))
                continue
        unregister(folder, judge)
        if connection is not None:
            connection.close()
    return found


def _replies(judge: Registration, connection: Connection, request: Request) -> Iterator[Reply]:
    """The replies to a request. They stop before the last one when the judge ends."""
    with suppress(OSError, EOFError, ValueError):
        connection.send_bytes(REQUEST.dump_json(request))
        while connection.poll(SILENT_SECONDS):
            reply = REPLY.validate_json(connection.recv_bytes())
            yield reply
            if reply.kind not in NOT_LAST:
                return
        unregister(judges_folder(), judge)


def running_judges(*, end: bool = False) -> list[Registration]:
    """The judges that answer. `end` asks each to end, after the requests it has. Raises ServiceError."""
    found = _reached(judges_folder())
    for _, connection in found:
        with connection, suppress(OSError):
            if end:
                connection.send_bytes(REQUEST.dump_json(Request()))
                connection.poll(END_SECONDS)
    return [judge for judge, _ in found]
