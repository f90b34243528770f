"""Reads one learner's submission: what is wrong with it is the learner's, what is wrong with the disk is not."""

from __future__ import annotations

import os
import stat
from dataclasses import replace

from grader.course import Course
from grader.submission import Problem, Submission, SubmissionError, read_parts, read_submission
from grader.submission.naming import printable
from grader.submission.reading_clock import SlowDiskError

from .entries import Entry


class OutOfReach(Exception):
    """This machine does not give a submission out, by no fault of the learner's; the text is one sentence."""


def read_entry(entry: Entry, course: Course) -> Submission:
    """Read one submission; one that can't be read for what it is is an empty one with the reason as its problem.

    Raises OutOfReach when it is gone or the system does not open it.
    """
    try:
        read = read_parts(entry.parts, course) if entry.parts else read_submission(entry.path, course)
    except SlowDiskError as error:
        raise OutOfReach(f"It could not be read: {error}") from None
    except SubmissionError as error:
        for path in [part.path for part in entry.parts] or [entry.path]:
            _demand_within_reach(path)
        return Submission(entry.name, {}, (Problem(printable(entry.path.name), "unreadable", str(error)),))
    return replace(read, name=entry.name)


def _demand_within_reach(path: os.PathLike[str]) -> None:
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISDIR(mode):
            os.scandir(path).close()
        elif stat.S_ISREG(mode):
            with open(path, "rb") as file:
                file.read(1)
    except OSError as error:
        raise OutOfReach(f"It could not be read: {error.strerror or 'unknown error'}.") from None
