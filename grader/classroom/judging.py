"""Runs in a judge's process: starts the judge and grades batches.

`grade_batch` can run in any executor, one call at a time in a process: pytest, which runs the checks, and the zygote
belong to the process.

Judges are forks of Python's fork server, which loads torch and the judge's modules once for all. It has loaded the
program only: no course, no answers, no submission. The zygote for the first judges starts beside it, at the same time.
In a large class the other judges have zygotes of their own, because a zygote can only fork for a few judges. Outside
Linux every judge starts by itself.
"""

from __future__ import annotations

import atexit
import gc
import hashlib
import multiprocessing
import os
import signal
import time
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.context import BaseContext
from typing import TYPE_CHECKING

from grader.course import Course
from grader.intake import Submission
from grader.played import as_bytes
from grader.record import CheckResult, CourseStamp, ExerciseResult, Record
from grader.sandbox.levels import (
    LEVELS,
    JoinedZygote,
    LaunchedZygote,
    Level,
    MachineError,
    has_zygotes,
    join,
    launch_ahead,
)
from grader.starting import started_from_home

from .grading_terms import Terms
from .played_maps import played_in
from .store import ReadWork
from .submission_files import OutOfReach, SubmissionFiles

if TYPE_CHECKING:
    from grader.judge.grading import Judge

LOADED = "grader.classroom.loaded_for_judges"
"""The module that the fork server imports before it forks."""
LEVEL = "KATA_POOL_LEVEL"
"""Environment variable for the fork server: the isolation level of the zygote to start beside it."""
SHARING = 2
"""The number of judges that share the zygote."""

_is_started = False


def can_fork() -> bool:
    """Whether judges can be forks on this system."""
    return has_zygotes() and "forkserver" in multiprocessing.get_all_start_methods()


def start_ahead(level: Level) -> None:
    """Start the fork server for this process's judges, without waiting for it."""
    global _is_started
    if _is_started or not can_fork():
        return
    from multiprocessing import forkserver

    from .pool import interrupts_held

    multiprocessing.set_forkserver_preload([LOADED])
    os.environ[LEVEL] = level
    try:
        with started_from_home(), interrupts_held():
            forkserver.ensure_running()
    finally:
        del os.environ[LEVEL]
    _is_started = True
    atexit.register(_end_server)


def _end_server() -> None:
    """Kill the fork server.

    It would end by itself, but only after loading all: readers of this command's output would wait for that.
    """
    from multiprocessing import forkserver

    pid = getattr(forkserver._forkserver, "_forkserver_pid", None)
    if isinstance(pid, int):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def context() -> BaseContext:
    """The multiprocessing context that starts judges."""
    return multiprocessing.get_context("forkserver" if _is_started else "spawn")


# --- in the fork server, and in the judges -----------------------------------------------------------------------

_zygote: LaunchedZygote | None = None


def load() -> None:
    """Start the zygote, and load meanwhile what every judge needs."""
    global _zygote
    named = os.environ.pop(LEVEL, "none")
    for level in LEVELS:
        if level == named != "none":
            with suppress(MachineError):  # a judge tries again and reports the error
                launched = launch_ahead(level)
                _zygote = launched if isinstance(launched, LaunchedZygote) else None

    # the fork server waits for its children, and would print a warning about the zygote
    warnings.filterwarnings("ignore", "forkserver: waitpid returned unexpected pid")
    gc.freeze()


def joined(level: Level) -> JoinedZygote | None:
    """In a judge: its connection to the zygote beside the fork server, if that has this level."""
    return join(_zygote) if _zygote is not None and _zygote.level == level else None


def leave_zygote_to_others() -> None:
    """Close the connection to the zygote in a judge beyond the first SHARING."""
    global _zygote
    if _zygote is not None:
        _zygote.control.close()
        _zygote = None


_opened: tuple[Terms, Judge | MachineError] | None = None


BATCH_SECONDS = 20.0
"""Seconds after which a batch starts no further submission: results not returned yet are lost if the run is killed."""


@dataclass(frozen=True)
class Graded:
    """What one submission came to: its record as JSON, and what was read of it."""

    record: str
    work: ReadWork


def grade_batch(terms: Terms, batch: Sequence[SubmissionFiles]) -> dict[str, Graded]:
    """Grade one or more submissions; returns what each came to, by its entry. What would take too long is left out.

    A submission that cannot be read gets a record that says so. Raises MachineError when this machine cannot isolate,
    GraderBroken when the course's checks cannot be run; any other error is a fault of the grader.
    """
    judge = open_judge(terms)
    if isinstance(judge, MachineError):
        raise judge
    try:
        return _graded(judge, terms, batch)
    except BaseException:
        close_judge()  # its state is unknown
        raise


def open_judge(terms: Terms) -> Judge | MachineError:
    """This process's judge, opened if there is none for these terms; or the error that prevents it."""
    global _opened
    if _opened is None or _opened[0] != terms:
        close_judge()
        _opened = terms, _open(terms)
    return _opened[1]


def close_judge() -> None:
    """Close this process's judge, if there is one."""
    global _opened
    if _opened is not None and not isinstance(_opened[1], MachineError):
        _opened[1].close()
    _opened = None


def _open(terms: Terms) -> Judge | MachineError:
    try:
        launched = None if terms.level == "none" else joined(terms.level) or launch_ahead(terms.level)
    except MachineError as error:
        return error
    # imported after the start of the zygote, so that both load torch at the same time
    from grader.course import load_course
    from grader.judge.grading import Judge

    return Judge(load_course(terms.course), terms.level, terms.seed, terms.only, launched)


def _graded(judge: Judge, terms: Terms, batch: Sequence[SubmissionFiles]) -> dict[str, Graded]:
    reading: deque[tuple[str, ReadWork]] = deque()
    graded: dict[str, Graded] = {}
    deadline = time.monotonic() + BATCH_SECONDS

    def readable() -> Iterator[Submission]:
        for files in batch:
            if graded and time.monotonic() > deadline:
                return
            try:
                submission = files.read(judge.course)
            except OutOfReach as error:
                record = fault_record(files.entry, str(error), judge.course, terms)
                graded[files.entry] = Graded(record.to_json(), ReadWork(Submission(files.entry, {}, ()), digest=""))
                continue
            maps = played_in(files)
            work = ReadWork(submission, digest_of(submission), as_bytes(maps) if maps else b"")
            reading.append((files.entry, work))
            yield submission

    def take(record: Record) -> None:
        entry, work = reading.popleft()
        graded[entry] = Graded(record.to_json(), work)

    judge.grade(readable(), take)
    return graded


def digest_of(submission: Submission) -> str:
    """SHA-256 of the sources that count and of the problems in reading them; the submission's name does not matter."""
    total = hashlib.sha256()
    for exercise, source in sorted(submission.sources.items()):
        _add(total, b"source", exercise.encode(), source.content)
    for problem in submission.problems:
        told = (problem.file, problem.kind, problem.message, problem.exercise or "")
        _add(total, b"problem", *(part.encode("utf-8", "surrogatepass") for part in told))
    return total.hexdigest()


def _add(total: hashlib._Hash, *parts: bytes) -> None:
    for part in parts:
        total.update(f"{len(part)}:".encode())
        total.update(part)


def fault_record(name: str, reason: str, course: Course, terms: Terms) -> Record:
    """A record in which no exercise has points.

    reason: one sentence about what happened; learners may see it.
    """
    chosen = [each for each in course.exercises if not terms.only or each.id in terms.only]
    return Record.of(
        submission=name,
        isolation=terms.level,
        seed=terms.seed,
        course=CourseStamp(title=course.title, version=course.version),
        exercises=[_ungraded(each.id, each.points, reason) for each in chosen],
    )


def _ungraded(exercise: str, worth: float, reason: str) -> ExerciseResult:
    check = CheckResult(
        name="grading",
        title="The grader grades what was handed in.",
        outcome="error",
        points=0.0,
        max_points=0.0,
        visible=False,
        message=f"The grader failed here; that is its own fault, not the learner's. {reason}",
    )
    return ExerciseResult(
        id=exercise, status="error", points=0.0, max_points=worth, checks=(check,), diagnosis=(), seconds=0.0
    )
