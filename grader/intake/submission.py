"""A submission that has been read: sources by exercise, and problems. The errors of reading, and its time limits.

Each step of the reading is short, since sizes are limited and time grows in proportion to them. So it is enough to
look at the clock between steps. Without a running clock, as for the course's own files, there is no limit.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from grader.errors import KataError
from grader.record import ProblemKind

READING_SECONDS = 10.0
"""Limit of processor time for reading a submission; an ordinary one takes a hundredth of a second."""
WAITING_SECONDS = 300.0
"""Limit of wall time: a disk or network slower than this cannot be graded from."""


@dataclass(frozen=True)
class SourceFile:
    """One exercise's source, as the learner wrote it; `name` says where it was found."""

    exercise: str
    name: str
    content: bytes


@dataclass(frozen=True)
class FileProblem:
    """One sentence about a file that was not taken as it is, with the exercise if that is known."""

    file: str
    kind: ProblemKind
    message: str
    exercise: str | None = None


@dataclass(frozen=True)
class Submission:
    """Everything found under one name. An exercise without a source here is missing."""

    name: str
    sources: Mapping[str, SourceFile]
    problems: tuple[FileProblem, ...]


class SubmissionError(KataError):
    """The submission as a whole cannot be read."""


class SlowDiskError(SubmissionError):
    """The machine was too slow to read the submission; not the learner's fault."""


class UnreadableError(Exception):
    """One file cannot be read, or must not be, as a link; the text continues a sentence that starts with its name."""

    def __init__(self, reason: str, kind: ProblemKind = "unreadable") -> None:
        super().__init__(reason)
        self.kind = kind


_running: ContextVar[tuple[str, float, float] | None] = ContextVar("_running", default=None)


@contextmanager
def reading_clock(name: str) -> Iterator[None]:
    """Limit the time for reading a submission in this block, enforced by `look_at_clock`; `name` is for messages.

    Processor time is charged to the learner, waiting to the machine.
    """
    token = _running.set((name, time.thread_time(), time.monotonic()))
    try:
        yield
    finally:
        _running.reset(token)


def look_at_clock() -> None:
    """Check the clock between two steps of reading. Raises SubmissionError when the time is used up."""
    if running := _running.get():
        name, worked_before, began = running
        if time.thread_time() - worked_before > READING_SECONDS:
            advice = "hand in the exercise files alone"
            raise SubmissionError(f"{name} could not be read in {READING_SECONDS:g} seconds; {advice}.")
        if time.monotonic() - began > WAITING_SECONDS:
            raise SlowDiskError(f"{name} did not come from the disk in {WAITING_SECONDS:g} seconds.")
