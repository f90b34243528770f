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
import multiprocessing
import os
import signal
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from multiprocessing.context import BaseContext
from typing import TYPE_CHECKING

from grader.sandbox.launch import JoinedZygote, LaunchedZygote, MachineError, join, launch_ahead
from grader.sandbox.levels import LEVELS, Level, has_zygotes
from grader.starting import started_from_home

from .entries import Entry
from .run_header import Terms

if TYPE_CHECKING:
    from grader.intake import Submission
    from grader.judge.grading import Judge
    from grader.record import Record

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


def grade_batch(terms: Terms, batch: Sequence[Entry]) -> dict[str, str]:
    """Grade one or more submissions; returns their records as lines of JSON by the submissions' names.

    A submission that cannot be read gets a record that says so. Raises MachineError when this machine cannot isolate,
    GraderBroken when the course's checks cannot be run; any other error is a fault of the grader.
    """
    judge = open_judge(terms)
    if isinstance(judge, MachineError):
        raise judge
    try:
        return {record.submission: record.to_json() for record in _graded(judge, terms, batch)}
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
    _course_digest.cache_clear()


def _open(terms: Terms) -> Judge | MachineError:
    try:
        launched = None if terms.level == "none" else joined(terms.level) or launch_ahead(terms.level)
    except MachineError as error:
        return error
    # imported after the start of the zygote, so that both load torch at the same time
    from grader.course import load_course
    from grader.judge.grading import Judge

    return Judge(load_course(terms.course), terms.level, terms.seed, terms.only, launched)


@lru_cache(maxsize=1)
def _course_digest(terms: Terms) -> str:
    """The digest of the course that this process's judge uses, computed once."""
    from grader.course import load_course

    from .course_digest import course_digest

    return course_digest(load_course(terms.course))


def _graded(judge: Judge, terms: Terms, batch: Sequence[Entry]) -> list[Record]:
    from .entries import OutOfReach, read_entry
    from .results_file import digest_of, fault_record

    digests: dict[str, str] = {}
    records: list[Record] = []
    deadline = time.monotonic() + BATCH_SECONDS

    def readable() -> Iterator[Submission]:
        for entry in batch:
            if records and time.monotonic() > deadline:
                return
            try:
                submission = read_entry(entry, judge.course)
            except OutOfReach as error:
                records.append(fault_record(entry.name, str(error), judge.course, terms))
                continue
            digests[entry.name] = digest_of(submission)
            yield submission

    stamp = _course_digest(terms)

    def take(record: Record) -> None:
        course = record.course.model_copy(update={"digest": stamp})
        records.append(record.model_copy(update={"digest": digests[record.submission], "course": course}))

    judge.grade(readable(), take)
    return records
