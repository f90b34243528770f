"""The clock under which one submission is read: its processor time is the learner's matter, waiting is the machine's.

Each step of the reading is short, since sizes are bounded and time grows in proportion to them. So it is enough to look
at the clock between steps. What is read without a clock, in the course's own files say, takes what it takes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .submission import SubmissionError

READING_SECONDS = 10.0
"""Processor time that reading a submission may take; an ordinary one takes a hundredth of a second."""
WAITING_SECONDS = 300.0
"""Wall time, after which a disk or a network is too slow to grade from."""


class SlowDiskError(SubmissionError):
    """The machine was too slow at giving the submission out; that is no fault of the learner's."""


class _Clock:
    def __init__(self, name: str) -> None:
        self._name = name
        self._worked_before = time.thread_time()  # a judge's other threads work for other submissions
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
    """In here a submission is read, and `look_at_clock` ends that when it takes too long; `name` is what people see."""
    token = _running.set(_Clock(name))
    try:
        yield
    finally:
        _running.reset(token)


def look_at_clock() -> None:
    """Say between two steps of the reading that another begins.

    Raises:
        SubmissionError: the submission's time is used up.
    """
    if clock := _running.get():
        clock.look()
