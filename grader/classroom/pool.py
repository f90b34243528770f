"""Who grades a class on this machine: judges in separate processes; and how submissions are handed to any executor.

A crash of a judge does not affect the others. A submission whose judge crashed is tried again, once.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection, Pipe
from typing import Any, TypeVar

from grader.record import CheckResult, ExerciseResult
from grader.sandbox.levels import MachineError
from grader.starting import go_back, started_from_home

from .grading_terms import Terms
from .judging import GradingTask, context, grade_one, interrupts_held, open_judge

Answer = TypeVar("Answer")
Results = tuple[ExerciseResult, ...]

TRIES = 2
"""How many judges a submission may crash before it is given up."""
STARTS = 5
"""How often a judge's process is started for one call."""
PAUSE_SECONDS = 0.1
LOSSES_IN_A_ROW = 20
"""This many crashed judges in a row, without a result in between, are not a submission's fault."""


def graded(
    executor: Executor, width: int, terms: Terms, tasks: Iterator[GradingTask]
) -> Iterator[tuple[GradingTask, Results | str]]:
    """Grade the submissions and yield what each came to; why it did not, if it crashes every judge that grades it.

    executor: any; only `grade_one` is submitted to it. Its workers must be able to import this package, must find the
    course under the same path, and must run one call at a time in a process. width: the number of calls sent out at the
    same time, as many as the executor has workers or more.
    Raises MachineError when the machine (or a worker's) cannot isolate, GraderBroken when the checks cannot run.
    """
    out: dict[Future[Results], GradingTask] = {}
    again: deque[GradingTask] = deque()
    tries: Counter[str] = Counter()
    losses = 0
    try:
        while True:
            while len(out) < width and (task := again.popleft() if again else next(tasks, None)):
                try:
                    out[executor.submit(grade_one, terms, task)] = task
                except BrokenExecutor as broken:
                    raise MachineError(f"no judge can be started ({broken})") from None
            if not out:
                return
            done, _ = wait(out, return_when=FIRST_COMPLETED)
            for future in [each for each in out if each in done]:  # in the order in which they were sent
                task, error = out.pop(future), _error_of(future)
                if error is None:
                    losses = 0
                    yield task, future.result()
                    continue
                if not isinstance(error, CancelledError):  # else a cluster had nobody left to grade it
                    losses += 1
                    tries[task.submission.name] += 1
                if losses >= LOSSES_IN_A_ROW:
                    raise MachineError(f"the last {losses} judges all ended before they had graded anything") from error
                if tries[task.submission.name] < TRIES:
                    again.append(task)
                elif isinstance(error, BrokenExecutor):
                    yield task, f"The judge's process ended {TRIES} times while it graded this submission."
                else:
                    yield task, f"The judge broke {TRIES} times over this submission ({type(error).__name__})."
    finally:
        for future in out:
            future.cancel()


def _error_of(future: Future[Results]) -> BaseException | None:
    """Why a call failed. Raises what is no submission's doing: a fault of the machine or of the course."""
    from grader.course import CourseError
    from grader.judge.faults import GraderBroken

    if future.cancelled():
        return CancelledError()
    error = future.exception()
    if isinstance(error, (MachineError, GraderBroken, CourseError)):
        raise error
    return error


def ungraded(exercise: str, worth: float, reason: str) -> ExerciseResult:
    """A result without points. reason: one sentence about what happened; learners may see it."""
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


class Judges(Executor):
    """An executor of several judges.

    Each is in a pool of one process: when it crashes, only its own work fails, and it is replaced.
    """

    def __init__(self, count: int, terms: Terms) -> None:
        self._judges = [_JudgeProcess(terms, number) for number in range(count)]

    def submit(self, fn: Callable[..., Answer], /, *args: Any, **kwargs: Any) -> Future[Answer]:
        """Let the least busy judge call a function; starts a judge if necessary."""
        return min(self._judges, key=_JudgeProcess.load).submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the judges: with `cancel_futures` at once, else when they are done."""
        for judge in self._judges:
            judge.end(at_once=cancel_futures)


class _JudgeProcess:
    """One judge's process, replaced when it crashes. It ends when this process closes the judge's leash, or ends."""

    def __init__(self, terms: Terms, number: int) -> None:
        self._terms, self._number = terms, number
        self._pool: ProcessPoolExecutor | None = None
        self._leash: Connection | None = None
        self._asked: list[Future[Any]] = []

    def load(self) -> int:
        self._asked = [future for future in self._asked if not future.done()]
        return len(self._asked)

    def submit(self, fn: Callable[..., Answer], /, *args: Any, **kwargs: Any) -> Future[Answer]:
        for left in reversed(range(STARTS)):
            try:
                future = self._submitted(fn, *args, **kwargs)
                break
            except (BrokenProcessPool, EOFError, OSError) as error:  # the judge, or the fork server, ended
                self.end(at_once=True)
                if not left:
                    raise BrokenExecutor(str(error)) from error
                time.sleep(PAUSE_SECONDS)  # a fork server that was killed still looks alive for a moment
        self._asked.append(future)
        return future

    def end(self, *, at_once: bool) -> None:
        if not at_once:
            wait(self._asked)
        # An idle judge ends at once too: it has nothing to save, and unloading torch takes long.
        if self._leash is not None:
            self._leash.close()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = self._leash = None

    def _submitted(self, fn: Callable[..., Answer], /, *args: Any, **kwargs: Any) -> Future[Answer]:
        if self._pool is not None:
            return self._pool.submit(fn, *args, **kwargs)
        held, self._leash = Pipe(duplex=False)
        with held, started_from_home() as here, interrupts_held():
            about = (self._terms, self._number, here, held)
            self._pool = ProcessPoolExecutor(1, mp_context=context(), initializer=_begin, initargs=about)
            return self._pool.submit(fn, *args, **kwargs)  # starts the process


def _begin(terms: Terms, number: int, here: str | None, leash: Connection) -> None:
    """In a judge's process: open the judge."""
    go_back(here)
    threading.Thread(target=_end_with_leash, args=[leash], daemon=True).start()
    open_judge(terms, number)


def _end_with_leash(leash: Connection) -> None:
    """End at once when the other end is closed: a judge whose class was killed would wait for work for ever."""
    leash.poll(None)
    os._exit(1)
