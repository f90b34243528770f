"""Judges in processes of this machine, and how submissions are handed to any pool of judges.

When a judge crashes, all are begun anew, and what they had is tried again, one by one. So it is known who crashed it.

Judges are forks of Python's fork server, which loads torch and all that judges need, once (`forked_from`). It knows the
program only: no course, no answers, no submission. The zygote for the first judges starts beside it, at the same time.
In a large class the other judges have zygotes of their own, because a zygote can only fork for a few judges. Outside
Linux every judge starts by itself.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from concurrent.futures.process import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any

from grader.errors import KataError
from grader.files import started_from_home
from grader.intake import Submission
from grader.record import ExerciseResult, Record
from grader.sandbox.levels import Launched, Level, MachineError, has_zygotes, join, launch, launch_ahead

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.synchronize import Semaphore

    from grader.judge.grading import Judge

    from .grading_terms import Run

Results = tuple[ExerciseResult, ...]

NO_JUDGE = (BrokenExecutor, EOFError, OSError)  # raised when a judge, or the fork server, has ended
PAUSE_SECONDS = 0.5  # in which a fork server that was killed may still look alive
LOSSES_IN_A_ROW = 10  # submissions that crash a judge: then they are not at fault
SHARING = 2  # judges, at most, share the zygote


@dataclass(frozen=True)
class GradingTask:
    """One submission of a class, and the exercises to grade of it, for each learner for whom it counts."""

    submission: Submission
    lacking: Mapping[str, Sequence[str]]

    @property
    def exercises(self) -> tuple[str, ...]:
        """The ids of all exercises to grade."""
        return tuple(dict.fromkeys(id for ids in self.lacking.values() for id in ids))


class Pool(Executor):
    """An executor whose workers are judges: they find the course under its path, and run one call at a time.

    width: how many submissions are with it at the same time. remarks: sentences on what became of it.
    """

    width = 1
    remarks: Sequence[str] = ()


# --- submissions for a pool -------------------------------------------------------------------------------------------


def graded(pool: Pool, run: Run, tasks: Iterator[GradingTask]) -> Iterator[tuple[GradingTask, Results | str]]:
    """Grade the submissions and yield what each came to; why it did not, if it crashes every judge that grades it.

    Raises MachineError when the machine (or a worker's) cannot isolate, KataError when the course cannot be used.
    """
    out: dict[Future[Results], GradingTask] = {}
    suspects: deque[GradingTask] = deque()  # when one crashes a judge, others fail with it: each is tried again alone
    losses = 0
    try:
        while True:
            alone = suspects.popleft() if suspects and not out else None
            for task in [alone] if alone else islice(tasks, 0 if suspects else pool.width - len(out)):
                try:
                    out[pool.submit(grade_one, run, task.submission, task.exercises)] = task
                except NO_JUDGE as broken:
                    raise MachineError(f"no judge can be started ({broken})") from None
            if not out:
                return
            done, _ = wait(out, return_when=FIRST_COMPLETED)
            for future in [each for each in out if each in done]:  # in the order in which they were sent
                task = out.pop(future)
                if future.cancelled():  # a cluster had nobody left to grade it
                    tasks = chain([task], tasks)
                    continue
                error = future.exception()
                if isinstance(error, (MachineError, KataError)):  # no submission's doing
                    raise error
                if error and not alone:
                    suspects.append(task)
                    continue
                losses = losses + 1 if error else 0
                if losses >= LOSSES_IN_A_ROW:
                    raise MachineError(f"the last {losses} submissions all crashed their judges") from error
                how = "its process ended" if isinstance(error, BrokenExecutor) else type(error).__name__
                yield task, f"The judge broke twice over this submission ({how})." if error else future.result()
    finally:
        for future in out:
            future.cancel()


# --- judges' processes, from outside ----------------------------------------------------------------------------------

_is_started = False
_zygote: Launched | None = None
"""It runs, or starts, for the first judges of this process."""


def start_ahead(level: Level) -> None:
    """Start the fork server and a zygote for this process's judges, without waiting for them; only on Linux."""
    global _is_started, _zygote
    if _is_started or not has_zygotes():
        return
    from multiprocessing import forkserver

    if level != "none":
        with suppress(MachineError):  # a judge tries again and reports the error
            _zygote = launch(level)
    multiprocessing.set_forkserver_preload(["grader.classroom.forked_from"])
    with started_from_home():
        resource_tracker.ensure_running()  # if it were started later, it would unblock Ctrl-C again
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # only the command itself handles it
        try:
            forkserver.ensure_running()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    _is_started = True


class Judges(Pool):
    """Judges of this machine, begun anew when one crashes. They end when this process closes their leash, or ends."""

    def __init__(self, count: int, run: Run) -> None:
        self._count, self._run = count, run
        self.width = count + 1  # one waits, while what comes back is stored
        self._pool: ProcessPoolExecutor | None = None
        self._leash: Connection | None = None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Let a judge call a function; starts it if necessary. Raises NO_JUDGE when none can be."""
        with started_from_home():
            try:
                return self._started().submit(fn, *args, **kwargs)
            except NO_JUDGE:
                self.shutdown()
                time.sleep(PAUSE_SECONDS)
                return self._started().submit(fn, *args, **kwargs)

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            theirs, self._leash = multiprocessing.Pipe(duplex=False)
            context = multiprocessing.get_context("forkserver" if _is_started else "spawn")
            zygote = replace(_zygote, process=None) if _zygote and _zygote.level == self._run.level else None
            about = (self._run, theirs, context.Semaphore(SHARING), zygote)
            self._pool = ProcessPoolExecutor(self._count, context, _begin, about)
        return self._pool

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the judges at once, whatever they do: they have nothing to save, and unloading torch takes long."""
        if self._leash is not None:
            self._leash.close()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = self._leash = None


# --- in a judge's process ---------------------------------------------------------------------------------------------

_opened: Judge | None = None


def _begin(run: Run, leash: Connection, sharing: Semaphore, zygote: Launched | None) -> None:
    """Open the judge. sharing: as many judges may share the zygote; the others have their own."""
    threading.Thread(target=_end_with_leash, args=[leash], daemon=True).start()
    with suppress(MachineError):  # it is raised when it grades
        _judge(run, join(zygote) if zygote and sharing.acquire(block=False) else None)


def _end_with_leash(leash: Connection) -> None:
    """End at once when the other end is closed: a judge whose class was killed would wait for work for ever."""
    leash.poll(None)
    os._exit(1)


def grade_one(run: Run, submission: Submission, exercises: tuple[str, ...]) -> Results:
    """Grade these exercises of a submission, in a judge's process.

    Raises MachineError when this machine cannot isolate, GraderBroken when the course's checks cannot be run; any other
    error is a fault of the grader.
    """
    global _opened
    judge = _judge(run)
    records: list[Record] = []
    try:
        judge.choose(exercises)
        judge.grade([submission], records.append)
    except BaseException:
        _opened = None
        judge.close()  # its state is unknown
        raise
    return records[0].exercises


def _judge(run: Run, launched: Launched | None = None) -> Judge:
    """This process's judge, opened if there is none; a process has only one class. Raises MachineError."""
    global _opened
    if _opened is None:
        if launched is None and run.level != "none":
            launched = launch_ahead(run.level)
        # imported after the start of the zygote, so that both load torch at the same time
        from grader.course import load_course
        from grader.judge.grading import Judge

        _opened = Judge(load_course(run.course), run.level, run.seed, launched=launched)
    return _opened
