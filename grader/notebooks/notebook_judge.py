"""The judge behind `nbgrader autograde`: tried with the references, then asked for one submission after another."""

from __future__ import annotations

import atexit
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

from grader.classroom import Terms
from grader.course import load_course
from grader.errors import KataError
from grader.intake import SourceFile, Submission
from grader.judge.faults import GraderBroken
from grader.record import Record
from grader.sandbox.launch import MachineError
from grader.service.client import judge_for as open_judge
from grader.service.stamp import course_stamp

if TYPE_CHECKING:
    from grader.service.client import AnyJudge


class NotebookJudge:
    """Grades the submissions of one notebook. After a failure it fails at once, so that a batch does not wait again."""

    def __init__(self, terms: Terms, stamp: str) -> None:
        """stamp: digest of the course's state at the start."""
        self.terms, self.stamp = terms, stamp
        self._failure: str | None = None
        self._judge: AnyJudge | None = None
        self._thread = ThreadPoolExecutor(1)  # one at a time: torch's settings belong to a thread
        self._begun: tuple[Submission, Future[Record]] | None = None

    def begin(self, submission: Submission) -> None:
        """Start grading a submission in the background; `grade` then returns sooner.

        Raises KataError when this judge has failed.
        """
        if self._failure:
            raise KataError(self._failure)
        self._begun = submission, self._thread.submit(self._graded, submission)

    def grade(self, submission: Submission) -> Record:
        """The record of one submission. Raises KataError when the judge could not grade it."""
        if self._begun is None or self._begun[0] != submission:
            self.begin(submission)
        assert self._begun is not None
        (_, record_to_come), self._begun = self._begun, None
        try:
            record = record_to_come.result()
        except MachineError as error:
            self._failure = (
                f"This machine cannot isolate submissions (missing: {error}). No grade was recorded. See `kata doctor`."
            )
            raise KataError(self._failure) from None
        except KataError as error:
            self._failure = str(error)
            raise KataError(self._failure) from None
        if not record.complete:
            raise KataError(_unfinished(record))
        return record

    def close(self) -> None:
        """End the judge, or disconnect from it."""
        self._thread.shutdown(cancel_futures=True)
        if self._judge is not None:
            self._judge.close()

    def _graded(self, submission: Submission) -> Record:
        """Grade it, once the references have got full marks. Raises MachineError, KataError."""
        if self._judge is None:
            self._judge = self._opened()
        records: list[Record] = []
        self._judge.grade([submission], records.append)
        return records[0]

    def _opened(self) -> AnyJudge:
        """A judge that gives the references full marks. Raises MachineError, KataError."""
        course, records = load_course(self.terms.course), list[Record]()
        paths = {id: course.solution_path(course.exercise(id)) for id in self.terms.only}
        sources = {id: SourceFile(id, path.name, path.read_bytes()) for id, path in paths.items()}
        judge = open_judge(course, self.terms.level, self.terms.seed, self.terms.only)
        try:
            judge.grade([Submission("reference", sources, ())], records.append)
            _demand_full_marks(records[0])
        except BaseException:
            judge.close()
            raise
        return judge


def _demand_full_marks(record: Record) -> None:
    short = [each for each in record.exercises if each.points != each.max_points or each.status != "passed"]
    if short:
        listed = ", ".join(f"{each.id} ({each.points:g} of {each.max_points:g} points)" for each in short)
        raise GraderBroken(
            f"The reference solution does not get full marks here: {listed}. Nobody is graded before that is mended; "
            "`kata verify` says more."
        )


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
    stamp = course_stamp(terms.course)
    if _judge is not None and (_judge.terms, _judge.stamp) != (terms, stamp):
        close_judge()
    if _judge is None:
        _judge = NotebookJudge(terms, stamp)
    return _judge


@atexit.register
def close_judge() -> None:
    """End the judge, if there is one."""
    global _judge
    if _judge is not None:
        _judge.close()
        _judge = None
