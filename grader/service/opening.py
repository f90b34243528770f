"""The judge for a command: the warm one, or, where that is not possible, one in this process.

Also lists the warm judges, and ends them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from grader.sandbox.launch import launch_ahead
from grader.sandbox.levels import Level

from .client import JudgeLine, ServedJudge
from .line import Request, call
from .place import Registration, ServiceError, all_registered, forget, judges_folder

if TYPE_CHECKING:
    from grader.course import Course
    from grader.intake import Submission
    from grader.mismatch import Shown
    from grader.record import Record

END_SECONDS = 5.0
"""Timeout for a judge to end; one that is grading ends when that is done."""


def kept_judges(folder: Path | None = None) -> list[Registration]:
    """The judges that answer; registrations of others are removed. Raises ServiceError."""
    place = judges_folder() if folder is None else folder
    return [each for each in all_registered(place) if _answers(place, each)]


def stop_judges() -> int:
    """End all judges of this user; return how many there were. Raises ServiceError."""
    folder = judges_folder()
    return sum(stop_judge(folder, each) for each in all_registered(folder))


def stop_judge(folder: Path, known: Registration) -> bool:
    """Ask a judge to end after the requests it has already; return whether it was there."""
    try:
        with call(known) as line:
            line.send_bytes(Request("end").to_bytes())
            line.poll(END_SECONDS)
    except (ServiceError, OSError):
        forget(folder, known)
        return False
    return True


def _answers(folder: Path, known: Registration) -> bool:
    try:
        call(known).close()
    except ServiceError:
        forget(folder, known)
        return False
    return True


SWITCH = "KATA_SERVICE"
"""Environment variable: "0" turns the service off."""


class AnyJudge(Protocol):
    """A judge, in this process or another."""

    seed: int

    @property
    def count(self) -> int:
        """How many exercises it grades."""

    def grade(
        self,
        submissions: Iterable[Submission],
        take: Callable[[Record], None],
        advance: Callable[[str], None] = ...,
        show: Shown | None = None,
    ) -> None:
        """Grade each submission and pass its record to `take`. Raises MachineError, GraderBroken."""

    def await_ready(self) -> None:
        """Wait until learners' code can be run. Raises MachineError."""

    def close(self) -> None:
        """End the judge, or disconnect from it."""


def is_kept_warm() -> bool:
    """Whether the user wants judges kept warm."""
    return os.environ.get(SWITCH, "") != "0"


def judge_for(course: Course, level: Level, seed: int, only: Sequence[str] = ()) -> AnyJudge:
    """A judge for these exercises of a course, all if none is named. Raises MachineError, GraderBroken."""
    if level != "none" and is_kept_warm():
        try:
            line = JudgeLine(judges_folder(), course.root / "course.yml", level)
            return ServedJudge(line, seed, only, len(only) or len(course.exercises))
        except ServiceError:
            pass  # a judge in this process: slower, same verdicts
    launched = None if level == "none" else launch_ahead(level)
    from grader.judge.grading import Judge

    return Judge(course, level, seed, only, launched)


def line_for(course_file: Path, level: Level) -> JudgeLine:
    """Connect to a judge in another process, private and ending with this one if none may be kept warm.

    Raises ServiceError when no process can be started.
    """
    if is_kept_warm():
        try:
            return JudgeLine(judges_folder(), course_file, level)
        except ServiceError:
            pass
    return JudgeLine(None, course_file, level)
