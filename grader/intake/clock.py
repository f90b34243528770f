"""Time limits for reading a submission: its processor time is charged to the learner, waiting to the machine.

Each step of the reading is short, since sizes are limited and time grows in proportion to them. So it is enough to
check the clock between steps. Without a running clock, as for the course's own files, there is no limit.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .submission import SubmissionError

READING_SECONDS = 10.0
"""Limit of processor time for reading a submission; an ordinary one takes a hundredth of a second."""
WAITING_SECONDS = 300.0
"""Limit of wall time: a disk or network slower than this cannot be graded from."""


class SlowDiskError(SubmissionError):
    """The machine was too slow to read the submission; not the learner's fault."""


class _Clock:
    def __init__(self, name: str) -> None:
        self._name = name
        self._worked_before = time.thread_time()  # this thread only: a judge's other threads work for other submissions
        self._began = time.monotonic()

    def look(self) -> None:
        if time.thread_time() - self._worked_before > READING_SECONDS:
            raise SubmissionError(
                f"{self._name} could not be read in {READING_SECONDS:g} seconds; hand in the exercise files alone."
            )
        if time.monotonic() - self._began > WAITING_SECONDS:
            raise SlowDiskError(f"{self._name} did not come from the disk in {WAITING_SECONDS:g} seconds.")


_running: ContextVar[_Clock | None] = ContextVar("_running", default=None)


@contextmanager
def reading_clock(name: str) -> Iterator[None]:
    """Limit the time for reading a submission in this block, enforced by `look_at_clock`; `name` is for messages."""
    token = _running.set(_Clock(name))
    try:
        yield
    finally:
        _running.reset(token)


def look_at_clock() -> None:
    """Check the clock between two steps of reading.

    Raises:
        SubmissionError: the submission's time is used up.
    """
    if clock := _running.get():
        clock.look()
