"""Sends submissions to an executor in batches. A submission whose judge crashed is tried again, once."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from itertools import islice

from grader.sandbox.levels import MachineError

from .grading_terms import Terms
from .judging import Graded, grade_batch
from .submission_files import SubmissionFiles

CHUNK = 8
"""Submissions in one batch: collecting the checks costs as much as grading a submission, so a batch has several."""
TRIES = 2
"""How many judges a submission alone may crash before it is given up."""
LOSSES_IN_A_ROW = 20
"""This many crashed judges in a row, without a record in between, are not a submission's fault."""


Batch = tuple[SubmissionFiles, ...]


class Dispatch:
    """Grades one class with an executor.

    executor: any; only `grade_batch` is submitted to it. Its workers must be able to import this package, must find the
    course and the submissions under the same paths, and must run one call at a time in a process. width: the number of
    batches sent out at the same time, as many as the executor has workers or a few more.
    """

    def __init__(self, executor: Executor, width: int, terms: Terms) -> None:
        self._executor, self._width, self._terms = executor, width, terms
        self._out: dict[Future[dict[str, Graded]], Batch] = {}
        self._alone: deque[SubmissionFiles] = deque()
        self._back: deque[SubmissionFiles] = deque()
        self._tries: Counter[str] = Counter()
        self._losses = 0

    def results(
        self, submissions: Iterator[SubmissionFiles], left: Callable[[], int]
    ) -> Iterator[tuple[SubmissionFiles, Graded | str]]:
        """Grade the submissions and yield what each came to; why it did not, if it crashes every judge that grades it.

        left: about how many of them were not taken yet; near the end batches get smaller, so that no judge is left
        with a long one.

        Raises MachineError when the machine (or a worker's) cannot isolate, GraderBroken when the checks cannot run.
        """
        try:
            while True:
                self._send(submissions, left)
                if not self._out:
                    return
                done, _ = wait(self._out, return_when=FIRST_COMPLETED)
                for future in [each for each in self._out if each in done]:  # in the order in which they were sent
                    yield from self._taken(future, self._out.pop(future))
        finally:
            for future in self._out:
                future.cancel()

    def _send(self, submissions: Iterator[SubmissionFiles], left: Callable[[], int]) -> None:
        while len(self._out) < self._width:
            batch = (self._alone.popleft(),) if self._alone else self._next(submissions, left())
            if not batch:
                return
            try:
                future = self._executor.submit(grade_batch, self._terms, batch)
            except BrokenExecutor as error:
                raise MachineError(f"no judge can be started ({error})") from None
            self._out[future] = batch

    def _next(self, submissions: Iterator[SubmissionFiles], left: int) -> Batch:
        """The next batch: submissions to retry first; near the end so few that every judge gets some."""
        size = max(1, min(CHUNK, -(-(left + len(self._back)) // self._width)))
        back = [self._back.popleft() for _ in range(min(size, len(self._back)))]
        return (*back, *islice(submissions, size - len(back)))

    def _taken(self, future: Future[dict[str, Graded]], batch: Batch) -> Iterator[tuple[SubmissionFiles, Graded | str]]:
        try:
            graded = future.result()
        except CancelledError:  # by a cluster that had nobody left to grade it
            self._back.extend(batch)
        except Exception as error:
            if is_no_submissions_doing(error):
                raise
            yield from self._lost(batch, error)
        else:
            self._losses = 0
            self._back.extend(files for files in batch if files.entry not in graded)
            yield from ((files, graded[files.entry]) for files in batch if files.entry in graded)

    def _lost(self, batch: Batch, error: Exception) -> Iterator[tuple[SubmissionFiles, str]]:
        self._losses += 1
        if self._losses >= LOSSES_IN_A_ROW:
            raise MachineError(f"the last {self._losses} judges all ended before they had graded anything") from error
        if len(batch) > 1:  # one by one, to find the submission that crashes the judge
            self._alone.extend(batch)
            return
        (files,) = batch
        self._tries[files.entry] += 1
        if self._tries[files.entry] < TRIES:
            self._alone.append(files)
        else:
            yield files, _reason(error)


def is_no_submissions_doing(error: Exception) -> bool:
    """Whether an error of a batch concerns the whole run: a fault of the machine or of the course."""
    from grader.course import CourseError
    from grader.judge.faults import GraderBroken

    return isinstance(error, (MachineError, GraderBroken, CourseError))


def _reason(error: Exception) -> str:
    if isinstance(error, BrokenExecutor):
        return f"The judge's process ended {TRIES} times while it graded this submission."
    return f"The judge broke {TRIES} times over this submission ({type(error).__name__})."
