"""Runs in a judge's process: starts the judge, and grades one submission after the other.

`grade_one` can run in any executor, one call at a time in a process: pytest, which runs the checks, and the zygote
belong to the process.

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
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import resource_tracker
from multiprocessing.context import BaseContext
from typing import TYPE_CHECKING

from grader.intake import Submission
from grader.record import ExerciseResult, Record
from grader.sandbox.levels import (
    LEVELS,
    Launched,
    Level,
    MachineError,
    has_zygotes,
    join,
    launch_ahead,
)
from grader.starting import started_from_home

from .grading_terms import Terms

if TYPE_CHECKING:
    from grader.judge.grading import Judge

LEVEL = "KATA_POOL_LEVEL"
"""Environment variable for the fork server: the isolation level of the zygote to start beside it."""
PR_SET_PDEATHSIG = 1
"""Of <linux/prctl.h>: the signal that a process gets when its parent ends."""
SHARING = 2
"""The number of judges that share the zygote."""


@dataclass(frozen=True)
class GradingTask:
    """One submission, and the ids of the exercises to grade."""

    submission: Submission
    exercises: tuple[str, ...]


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
        with started_from_home(), interrupts_held():
            forkserver.ensure_running()
    finally:
        del os.environ[LEVEL]
    _is_started = True


def context() -> BaseContext:
    """The multiprocessing context that starts judges."""
    return multiprocessing.get_context("forkserver" if _is_started else "spawn")


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Block Ctrl-C in processes started here: only the command itself handles it. Use it inside `started_from_home`."""
    resource_tracker.ensure_running()  # if it were started later, it would unblock Ctrl-C again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --- in the fork server, and in the judges -----------------------------------------------------------------------

_zygote: Launched | None = None
_opened: tuple[Terms, Judge | MachineError] | None = None


def _load(named: str) -> None:
    """In the fork server: start the zygote, and load meanwhile what every judge needs."""
    global _zygote
    # the fork server ends with the command, at once: readers of the command's output would wait until all is loaded
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    for level in LEVELS:
        if level == named != "none":
            with suppress(MachineError):  # a judge tries again and reports the error
                _zygote = launch_ahead(level)
    import_module("grader.judge.grading")
    # the fork server waits for its children, and would print a warning about the zygote
    warnings.filterwarnings("ignore", "forkserver: waitpid returned unexpected pid")
    gc.freeze()


def open_judge(terms: Terms, number: int) -> None:
    """Open this process's judge; an error is raised when it grades. number: among the judges of the class, from 0."""
    global _zygote
    if _zygote is not None and _zygote.control is not None and number >= SHARING:
        _zygote.control.close()
        _zygote = None
    _judge(terms)


def grade_one(terms: Terms, task: GradingTask) -> tuple[ExerciseResult, ...]:
    """Grade one submission.

    Raises MachineError when this machine cannot isolate, GraderBroken when the course's checks cannot be run; any other
    error is a fault of the grader.
    """
    judge = _judge(terms)
    if isinstance(judge, MachineError):
        raise judge
    records: list[Record] = []
    try:
        judge.choose(task.exercises)
        judge.grade([task.submission], records.append)
    except BaseException:
        close_judge()  # its state is unknown
        raise
    return records[0].exercises


def close_judge() -> None:
    """Close this process's judge, if there is one."""
    global _opened
    if _opened is not None and not isinstance(_opened[1], MachineError):
        _opened[1].close()
    _opened = None


def _judge(terms: Terms) -> Judge | MachineError:
    """This process's judge, opened if there is none for these terms; or the error that prevents it."""
    global _opened
    if _opened is None or _opened[0] != terms:
        close_judge()
        _opened = terms, _open(terms)
    return _opened[1]


def _open(terms: Terms) -> Judge | MachineError:
    try:
        launched = None if terms.level == "none" else _joined(terms.level) or launch_ahead(terms.level)
    except MachineError as error:
        return error
    # imported after the start of the zygote, so that both load torch at the same time
    from grader.course import load_course
    from grader.judge.grading import Judge

    return Judge(load_course(terms.course), terms.level, terms.seed, launched=launched)


def _joined(level: Level) -> Launched | None:
    """The connection to the zygote beside the fork server, if that has this level."""
    return join(_zygote) if _zygote is not None and _zygote.level == level else None


if (_named := os.environ.pop(LEVEL, "")) and can_fork():
    _load(_named)
