"""Many submissions: a pool of judges, each with a zygote of its own; records come in the order of the submissions."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.sandbox.launch import MachineError, launch
from grader.sandbox.levels import Level

if TYPE_CHECKING:
    from grader.judge.grading import Judge
    from grader.results import Record
    from grader.submission import Submission

CHUNK = 8
"""Submissions that a judge takes at a time: collecting the checks costs as much as a submission, so not one by one."""


@dataclass(frozen=True)
class Terms:
    """On what terms a class is graded: the same for every submission."""

    course: Path
    level: Level
    seed: int
    only: tuple[str, ...] = ()


@dataclass(frozen=True)
class Entry:
    """One learner's submission on disk and the name it goes by in the results."""

    name: str
    path: Path


def entries(paths: Sequence[Path]) -> list[Entry]:
    """Name the submissions: by the file's stem, or by the whole file name where two have the same stem."""
    stems = [_stem(path) for path in paths]
    return [Entry(stem if stems.count(stem) == 1 else path.name, path) for stem, path in zip(stems, paths, strict=True)]


def _stem(path: Path) -> str:
    return path.name if path.is_dir() else path.stem


def grade_class(submissions: Sequence[Entry], terms: Terms, jobs: int) -> Iterator[Record]:
    """Grade every submission and yield the records in order.

    A submission that can't be read gets a record that says so. Raises MachineError when this machine cannot isolate.
    """
    from grader.results import Record

    chunks = [submissions[start : start + CHUNK] for start in range(0, len(submissions), CHUNK)]
    workers = max(1, min(jobs, len(chunks)))
    if workers < jobs and len(submissions) > 1:  # a small class: smaller chunks, so that every judge has work
        size = -(-len(submissions) // jobs)
        chunks = [submissions[start : start + size] for start in range(0, len(submissions), size)]
        workers = len(chunks)
    spawn = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(workers, mp_context=spawn, initializer=_open_judge, initargs=(terms,)) as pool:
            for records in pool.map(_grade_chunk, chunks):
                yield from map(Record.from_json, records)
    except BrokenProcessPool:
        raise MachineError("a judge's process was ended from outside; what was not written was not graded") from None


# --- in a judge's process -------------------------------------------------------------------------------------

_judge: Judge | MachineError | None = None


def _open_judge(terms: Terms) -> None:
    global _judge
    try:
        launched = None if terms.level == "none" else launch(terms.level)
    except MachineError as error:
        _judge = error
        return
    # after the zygote's start, so that both load torch at the same time
    from grader.course import load_course
    from grader.judge.grading import Judge

    _judge = Judge(load_course(terms.course), terms.level, terms.seed, terms.only, launched)


def _grade_chunk(chunk: Sequence[Entry]) -> list[str]:
    if not isinstance(_judge, Exception) and _judge is not None:
        return [record.to_json() for record in grade_entries(_judge, chunk)]
    raise _judge or MachineError("a judge's process did not start")


def grade_entries(judge: Judge, chunk: Sequence[Entry]) -> list[Record]:
    """Grade some submissions with one judge."""
    records: list[Record] = []
    judge.grade((read_entry(entry, judge) for entry in chunk), records.append)
    return records


def read_entry(entry: Entry, judge: Judge) -> Submission:
    """Read one submission; one that can't be read is an empty one with the reason as its problem."""
    from grader.submission import Problem, Submission, SubmissionError, read_submission

    try:
        return replace(read_submission(entry.path, judge.course), name=entry.name)
    except SubmissionError as error:
        return Submission(entry.name, {}, (Problem(entry.path.name, "unreadable", str(error)),))
