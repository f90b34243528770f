"""Time limits for reading a submission: its processor time is charged to the learner, waiting to the machine.

Each step of the reading is short, since sizes are limited and time grows in proportion to them. So it is enough to
look at the clock between steps. Without a running clock, as for the course's own files, there is no limit.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .submission import SlowDiskError, SubmissionError

READING_SECONDS = 10.0
"""Limit of processor time for reading a submission; an ordinary one takes a hundredth of a second."""
WAITING_SECONDS = 300.0
"""Limit of wall time: a disk or network slower than this cannot be graded from."""

_running: ContextVar[tuple[str, float, float] | None] = ContextVar("_running", default=None)


@contextmanager
def reading_clock(name: str) -> Iterator[None]:
    """Limit the time for reading a submission in this block, enforced by `look_at_clock`; `name` is for messages."""
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
