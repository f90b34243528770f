"""In a judge's process: the judge is opened once, and grades batch after batch.

`grade_batch` runs wherever an executor runs functions, one call at a time in one process: pytest, which runs the
checks, and the zygote belong to the process.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from grader.sandbox.launch import MachineError, launch_ahead

from .entries import Entry
from .forking import joined
from .terms import Terms

if TYPE_CHECKING:
    from grader.judge.grading import Judge
    from grader.results import Record
    from grader.submission import Submission

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
    from .digest import digest_of
    from .faults import fault_record
    from .reading import OutOfReach, read_entry

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
