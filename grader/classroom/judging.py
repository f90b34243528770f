"""In a judge's process: how it is forked and opened, and how it grades batch after batch.

`grade_batch` runs wherever an executor runs functions, one call at a time in one process: pytest, which runs the
checks, and the zygote belong to the process.

Judges are forks of one process, which loads torch and the judge's modules once for all judges of the pool: Python's
own fork server. It knows the program and nothing else: no course, no answers, nobody's work.
Beside it, at the same time, loads the zygote that the first judges share; a large class's other judges have their own,
for a zygote can fork for so many only. Elsewhere than on Linux every judge starts by itself.
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
"""The module that the fork server imports before it forks anything."""
LEVEL = "KATA_POOL_LEVEL"
"""In the environment of a fork server that starts: the isolation level of the zygote to start beside it."""
SHARING = 2
"""So many judges share the zygote."""

_is_started = False


def can_fork() -> bool:
    """Whether judges can be forks here."""
    return has_zygotes() and "forkserver" in multiprocessing.get_all_start_methods()


def start_ahead(level: Level) -> None:
    """Start what this process's judges will be forked from, without waiting for it."""
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
    """It would end by itself, once it has loaded all: whoever reads what a command says would wait for that."""
    from multiprocessing import forkserver

    pid = getattr(forkserver._forkserver, "_forkserver_pid", None)
    if isinstance(pid, int):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def context() -> BaseContext:
    """How this process starts judges."""
    return multiprocessing.get_context("forkserver" if _is_started else "spawn")


# --- in the fork server, and in the judges -----------------------------------------------------------------------

_zygote: LaunchedZygote | None = None


def load() -> None:
    """Start the zygote, and load what every judge needs meanwhile."""
    global _zygote
    named = os.environ.pop(LEVEL, "none")
    for level in LEVELS:
        if level == named != "none":
            with suppress(MachineError):  # a judge tries it once more, and tells
                launched = launch_ahead(level)
                _zygote = launched if isinstance(launched, LaunchedZygote) else None

    # the server waits for its children's ends, and would tell of a zygote's on the terminal
    warnings.filterwarnings("ignore", "forkserver: waitpid returned unexpected pid")
    gc.freeze()


def joined(level: Level) -> JoinedZygote | None:
    """In a judge: its own way to the zygote beside the fork server, if there is one at this level."""
    return join(_zygote) if _zygote is not None and _zygote.level == level else None


def leave_zygote_to_others() -> None:
    """In a judge that is one too many for the zygote."""
    global _zygote
    if _zygote is not None:
        _zygote.control.close()
        _zygote = None


_opened: tuple[Terms, Judge | MachineError] | None = None


BATCH_SECONDS = 20.0
"""After so long a batch begins no further submission: what is not handed back yet is lost when the run is killed."""


def grade_batch(terms: Terms, batch: Sequence[Entry]) -> dict[str, str]:
    """Grade some submissions, at least one; their records as lines of JSON by the submissions' names.

    A submission that can't be read gets a record that says so. Raises MachineError when this machine cannot isolate,
    GraderBroken when the course's checks cannot be run; whatever else it raises is a fault of the grader's.
    """
    judge = open_judge(terms)
    if isinstance(judge, MachineError):
        raise judge
    try:
        return {record.submission: record.to_json() for record in _graded(judge, terms, batch)}
    except BaseException:
        close_judge()  # who knows what state it is in
        raise


def open_judge(terms: Terms) -> Judge | MachineError:
    """This process's judge, opened when there is none for these terms; or why there cannot be one."""
    global _opened
    if _opened is None or _opened[0] != terms:
        close_judge()
        _opened = terms, _open(terms)
    return _opened[1]


def close_judge() -> None:
    """End this process's judge, if there is one."""
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
    # after the zygote's start, so that both load torch at the same time
    from grader.course import load_course
    from grader.judge.grading import Judge

    return Judge(load_course(terms.course), terms.level, terms.seed, terms.only, launched)


@lru_cache(maxsize=1)
def _course_digest(terms: Terms) -> str:
    """Of the course that this process's judge grades by, as it was when first asked."""
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
