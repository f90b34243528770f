"""The judge for a command: the one that is kept warm, or where that cannot be, one in this process.

And which judges are kept warm now, and how they are ended.
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
"""A judge that is at work ends when it has done that; nobody waits longer for it."""


def kept_judges(folder: Path | None = None) -> list[Registration]:
    """The judges that answer; what is left of others is taken away. Raises ServiceError."""
    place = judges_folder() if folder is None else folder
    return [each for each in all_registered(place) if _answers(place, each)]


def stop_judges() -> int:
    """End all that are kept for this user; how many there were. Raises ServiceError."""
    folder = judges_folder()
    return sum(stop_judge(folder, each) for each in all_registered(folder))


def stop_judge(folder: Path, known: Registration) -> bool:
    """Have a judge end when it has done what it was asked before; whether one was there."""
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
"""Set to 0, no judge is kept warm."""


class AnyJudge(Protocol):
    """A judge, wherever it is."""

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
        """Grade each submission and hand its record over. Raises MachineError, GraderBroken."""

    def await_ready(self) -> None:
        """Wait until learners' code can be run. Raises MachineError."""

    def close(self) -> None:
        """End it, or hang up."""


def is_kept_warm() -> bool:
    """Whether the user wants judges to be kept warm."""
    return os.environ.get(SWITCH, "") != "0"


def judge_for(course: Course, level: Level, seed: int, only: Sequence[str] = ()) -> AnyJudge:
    """A judge for some exercises of a course, all when none is named. Raises MachineError, GraderBroken."""
    if level != "none" and is_kept_warm():
        try:
            line = JudgeLine(judges_folder(), course.root / "course.yml", level)
            return ServedJudge(line, seed, only, len(only) or len(course.exercises))
        except ServiceError:
            pass  # it goes slower, and no less well
    launched = None if level == "none" else launch_ahead(level)
    from grader.judge.grading import Judge

    return Judge(course, level, seed, only, launched)


def line_for(course_file: Path, level: Level) -> JudgeLine:
    """A line to a judge in another process, whatever the user wants: it is private, and ends with this one, if need be.

    Raises ServiceError when no process can be started.
    """
    if is_kept_warm():
        try:
            return JudgeLine(judges_folder(), course_file, level)
        except ServiceError:
            pass
    return JudgeLine(None, course_file, level)
