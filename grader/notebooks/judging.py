"""The judge behind `nbgrader autograde`: tested with the references, then asked for one submission after another."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from grader.classroom import Terms
from grader.intake import Submission
from grader.judge.errors import GraderBroken
from grader.record import Record
from grader.sandbox.launch import MachineError
from grader.service.client import JudgeLine
from grader.service.line import Request
from grader.service.opening import line_for
from grader.service.place import ServiceError
from grader.service.purpose import course_stamp


class NoGrade(Exception):
    """There is no grade, through no fault of the learner's; the text is one sentence."""


class NotebookJudge:
    """Grades the submissions of one notebook. After a failure it fails at once, so that a batch does not wait again."""

    def __init__(self, terms: Terms, stamp: str) -> None:
        """stamp: digest of the course's state at the start."""
        self.terms, self.stamp = terms, stamp
        self._failure: str | None = None
        self._line: JudgeLine | None = None
        self._asked: tuple[Submission, Request] | None = None

    def begin(self, submission: Submission) -> None:
        """Start grading a submission in the background; `grade` then returns sooner.

        Raises NoGrade when this judge has failed.
        """
        if self._asked is not None:
            self._await_record()  # its record was not fetched: that submission failed elsewhere
        if self._failure:
            raise NoGrade(self._failure)
        request = Request("grade", self.terms.seed, self.terms.only, submission, tries_references=True)
        with self._told():
            if self._line is None:
                self._line = line_for(self.terms.course, self.terms.level)
            self._asked = submission, request  # from here on a reply may come
            self._line.send(request)

    def grade(self, submission: Submission) -> Record:
        """The record of one submission. Raises NoGrade when the judge could not grade it."""
        if self._asked is None or self._asked[0] != submission:
            self.begin(submission)
        record = self._await_record()
        if not record.complete:
            raise NoGrade(_unfinished(record))
        return record

    def close(self) -> None:
        """Close the connection."""
        if self._line is not None:
            self._line.close()

    def _await_record(self) -> Record:
        assert self._asked is not None and self._line is not None
        (_, request), self._asked = self._asked, None
        with self._told():
            return Record.from_json(self._line.replies(request).value)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn errors that prevent grading into one sentence, and remember it for later submissions."""
        try:
            yield
        except MachineError as error:
            self._failure = (
                f"This machine cannot isolate submissions (missing: {error}). No grade was recorded. See `kata doctor`."
            )
        except (GraderBroken, ServiceError) as error:
            self._failure = str(error)
        else:
            return
        self._asked = None
        self.close()
        raise NoGrade(self._failure)


def _unfinished(record: Record) -> str:
    errors = [
        f"{exercise.id}, {check.name}: {check.message}"
        for exercise in record.exercises
        for check in exercise.checks
        if check.outcome == "error"
    ]
    return f"The grader itself failed, so there is no grade: {'; '.join(errors[:3])}"


_judge: NotebookJudge | None = None


def judge_for(terms: Terms) -> NotebookJudge:
    """The judge for these terms, reused in this process while the course does not change."""
    global _judge
    stamp = course_stamp(terms.course.parent)
    if _judge is not None and (_judge.terms, _judge.stamp) != (terms, stamp):
        close_judge()
    if _judge is None:
        _judge = NotebookJudge(terms, stamp)
    return _judge


@atexit.register
def close_judge() -> None:
    """Close the connection, if there is one."""
    global _judge
    if _judge is not None:
        with suppress(OSError):
            _judge.close()
        _judge = None
