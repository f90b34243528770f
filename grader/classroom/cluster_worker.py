"""Runs on a worker of a cluster: decides whether it may grade, and gives it judges, in processes of their own.

So a judge that crashes does not end the worker, and learners' code has no file descriptor of the cluster.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.course import Course, CourseError, load_course

from .grading_terms import Terms, run_of
from .judging import digest_of
from .pool import Judges
from .store import Run
from .submission_files import SubmissionFiles

if TYPE_CHECKING:
    from distributed import Worker

SAMPLE = 20
"""The number of submissions compared to see whether a worker has the same files."""


@dataclass(frozen=True)
class Job:
    """What a run grades, and by what. seen: some submissions, each with the digest of what the command reads there."""

    terms: Terms
    run: Run
    seen: Sequence[tuple[SubmissionFiles, str]]


def job_of(course: Course, terms: Terms, run: Run, submissions: Sequence[SubmissionFiles]) -> Job:
    """The job of a run; the submissions that it compares are spread over the class."""
    chosen = submissions[:: max(1, len(submissions) // SAMPLE)][:SAMPLE]
    return Job(terms, run, [(files, digest) for files in chosen if (digest := _digest(files, course))])


async def examine(job: Job, name: str, clients: Collection[str], dask_worker: Worker) -> str | None:
    """Give a worker judges by this name, if it may grade; otherwise the reason. clients: the names of all that run."""
    for other in [key for key, each in dask_worker.executors.items() if isinstance(each, Judges)]:
        if other not in clients:  # its command was killed
            leave(other, dask_worker)
    reason = await asyncio.to_thread(why_not, job)
    if reason is None:
        multiprocessing.current_process().daemon = False  # a nanny's worker could not have processes otherwise
        dask_worker.executors[name] = Judges(dask_worker.state.nthreads, job.terms)
        await dask_worker.set_resources(**{name: dask_worker.state.nthreads})
    return reason


def leave(name: str, dask_worker: Worker) -> None:
    """End the judges of a run at once; dask refuses calls that come later."""
    dask_worker.executors.pop(name).shutdown(cancel_futures=True)


def why_not(job: Job) -> str | None:
    """The reason why this process may not grade, in a few words; None if it may."""
    from grader.sandbox.doctor import try_level

    terms, there = job.terms, job.run
    try:
        course = load_course(terms.course)
        here = run_of(course, terms)
    except (CourseError, OSError):
        return f"it does not see the course at {terms.course}"
    for name, wanted in sorted(there.versions.items()):
        if here.versions.get(name) != wanted:
            return f"its {name} is {here.versions.get(name, 'missing')}, not {wanted}"
    if here.digest != there.digest:
        return "it sees another course at the same path"
    for files, digest in job.seen:
        if (found := _digest(files, course)) != digest:
            return f"it sees something else at {files.path}" if found else f"it does not see {files.path}"
    missing = None if terms.level == "none" else try_level(terms.level)
    return missing and f"it cannot isolate submissions, missing: {missing}"


def _digest(files: SubmissionFiles, course: Course) -> str:
    """Of what this machine reads of a submission; empty if it cannot."""
    try:
        return digest_of(files.read(course))
    except Exception:  # a judge finds and reports the error
        return ""
