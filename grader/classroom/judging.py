"""Judges in processes of this machine, and how submissions are handed to any executor.

When a judge crashes, all are begun anew, and what they had is tried again, one by one. So it is known who crashed it.

Judges are forks of Python's fork server, which imports this module, and with it torch and all that judges need, once.
It has loaded the program only: no course, no answers, no submission. The zygote for the first judges starts beside it,
at the same time. In a large class the other judges have zygotes of their own, because a zygote can only fork for a few
judges. Outside Linux every judge starts by itself.
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from concurrent.futures.process import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, islice
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any, cast

from grader.errors import KataError
from grader.files import started_from_home
from grader.intake import Submission
from grader.record import ExerciseResult, Record
from grader.sandbox.levels import Launched, Level, MachineError, has_zygotes, join, launch_ahead

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.synchronize import Semaphore

    from grader.judge.grading import Judge

    from .class_list import SubmissionFiles
    from .grading_terms import Run

Results = tuple[ExerciseResult, ...]

NO_JUDGE = (BrokenExecutor, EOFError, OSError)
"""What is raised when a judge, or the fork server, has ended."""
PAUSE_SECONDS = 0.5
"""How long a fork server that was killed may still look alive."""
LOSSES_IN_A_ROW = 10
"""This many submissions in a row that crash a judge are not at fault."""
SHARING = 2
"""The number of judges that share the zygote."""
LEVEL = "KATA_POOL_LEVEL"
"""Environment variable for the fork server: the isolation level of the zygote to start beside it."""
PR_SET_PDEATHSIG = 1
"""Of <linux/prctl.h>: the signal that a process gets when its parent ends."""


@dataclass(frozen=True)
class GradingTask:
    """One submission of a class, and of each learner the exercises to grade: whether there is an earlier result."""

    files: SubmissionFiles
    submission: Submission
    lacking: Mapping[str, Mapping[str, bool]]

    @property
    def exercises(self) -> tuple[str, ...]:
        """The ids of all exercises to grade."""
        return tuple(dict.fromkeys(id for ids in self.lacking.values() for id in ids))


# --- submissions for an executor --------------------------------------------------------------------------------------


def graded(
    executor: Executor, width: int, run: Run, tasks: Iterator[GradingTask]
) -> Iterator[tuple[GradingTask, Results | str]]:
    """Grade the submissions and yield what each came to; why it did not, if it crashes every judge that grades it.

    executor: any; only `grade_one` is submitted to it. Its workers must be able to import this package, must find the
    course under the same path, and must run one call at a time in a process. width: the number of calls sent out at the
    same time, as many as the executor has workers or more.
    Raises MachineError when the machine (or a worker's) cannot isolate, KataError when the course cannot be used.
    """
    out: dict[Future[Results], GradingTask] = {}
    suspects: deque[GradingTask] = deque()  # when one crashes a judge, others fail with it: each is tried again alone
    losses = 0
    try:
        while True:
            alone = suspects.popleft() if suspects and not out else None
            for task in [alone] if alone else islice(tasks, 0 if suspects else width - len(out)):
                try:
                    out[executor.submit(grade_one, run, task.submission, task.exercises)] = task
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


def can_fork() -> bool:
    """Whether judges can be forks on this system."""
    return has_zygotes() and "forkserver" in multiprocessing.get_all_start_methods()


def start_ahead(level: Level) -> None:
    """Start the fork server for this process's judges, without waiting for it."""
    global _is_started
    if _is_started or not can_fork():
        return
    from multiprocessing import forkserver

    multiprocessing.set_forkserver_preload([__name__])
    os.environ[LEVEL] = level
    try:
        with started_from_home(), _interrupts_held():
            forkserver.ensure_running()
    finally:
        del os.environ[LEVEL]
    _is_started = True


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Block Ctrl-C in processes started here: only the command itself handles it. Use it inside `started_from_home`."""
    resource_tracker.ensure_running()  # if it were started later, it would unblock Ctrl-C again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Judges(Executor):
    """A pool of judges, begun anew when one crashes. They end when this process closes their leash, or ends."""

    def __init__(self, count: int, run: Run) -> None:
        self._count, self._run = count, run
        self._pool: ProcessPoolExecutor | None = None
        self._leash: Connection | None = None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Let a judge call a function; starts it if necessary. Raises NO_JUDGE when none can be."""
        try:
            return self._sent(fn, args, kwargs)
        except NO_JUDGE:
            self.shutdown()
            time.sleep(PAUSE_SECONDS)
            return self._sent(fn, args, kwargs)

    def _sent(self, fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Future[Any]:
        with started_from_home(), _interrupts_held():
            if self._pool is None:
                theirs, self._leash = multiprocessing.Pipe(duplex=False)
                context = multiprocessing.get_context("forkserver" if _is_started else "spawn")
                about = (self._run, context.Semaphore(SHARING), theirs)
                self._pool = ProcessPoolExecutor(self._count, context, _begin, about)
            return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the judges at once, whatever they do: they have nothing to save, and unloading torch takes long."""
        if self._leash is not None:
            self._leash.close()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = self._leash = None


# --- in the fork server, and in the judges ----------------------------------------------------------------------------

_zygote: Launched | None = None
_opened: Judge | None = None


def _load(level: Level) -> None:
    """In the fork server: start the zygote, and load meanwhile what every judge needs."""
    global _zygote
    # the fork server ends with the command, at once: readers of the command's output would wait until all is loaded
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if level != "none":
        with suppress(MachineError):  # a judge tries again and reports the error
            _zygote = launch_ahead(level)
    for needed in ("grader.judge.grading", "grader.classroom.grading_terms"):
        import_module(needed)
    # the fork server waits for its children, and would print a warning about the zygote
    warnings.filterwarnings("ignore", "forkserver: waitpid returned unexpected pid")
    gc.freeze()


def _begin(run: Run, sharing: Semaphore, leash: Connection) -> None:
    """In a judge's process: open the judge. sharing: as many may share the zygote."""
    global _zygote
    threading.Thread(target=_end_with_leash, args=[leash], daemon=True).start()
    if not sharing.acquire(block=False):
        _zygote = None
    with suppress(MachineError):  # it is raised when it grades
        _judge(run)


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


def _judge(run: Run) -> Judge:
    """This process's judge, opened if there is none; a process has only one class. Raises MachineError."""
    global _opened
    if _opened is None:
        shared = join(_zygote) if _zygote is not None else None
        launched = None if run.level == "none" else shared or launch_ahead(run.level)
        # imported after the start of the zygote, so that both load torch at the same time
        from grader.course import load_course
        from grader.judge.grading import Judge

        _opened = Judge(load_course(run.course), run.level, run.seed, launched=launched)
    return _opened


if _named := os.environ.pop(LEVEL, ""):
    _load(cast("Level", _named))
