"""The checks of one learner's file, one by one, as pytest runs them.

The judge grades them all in one request. In this process (isolation level "none") each runs by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, cast

from grader.intake import Submission
from grader.judge.faults import CheckFailed, GraderBroken
from grader.mismatch import Mismatches
from grader.record import ExerciseResult, Record

from .checking import SUBMITTER, judged, note_record, submission_of
from .workspace import Work, Workspace

if TYPE_CHECKING:
    from types import TracebackType

    from grader.judge.grading import Judge, SteppedExercise
    from grader.service.client import AnyJudge


class FileChecks:
    """The checks of a file. `is_walled`: whether the judge runs the learner's code elsewhere than in this process."""

    def __init__(self, workspace: Workspace, work: Work, judge: Callable[[], AnyJudge], *, is_walled: bool) -> None:
        self._workspace, self._work, self._judge, self._is_walled = workspace, work, judge, is_walled
        self._left: set[str] = set()
        """Those that have not run."""

    def listed(self) -> list[str]:
        """Their names. Raises MachineError, KataError."""
        record, _ = self._judged(Submission(SUBMITTER, {}, ()))  # without work: the checks alone
        listed = [check.name for check in record.exercises[0].checks]
        self._left = set(listed)
        return listed

    @property
    def is_done(self) -> bool:
        """Whether all have run."""
        return not self._left

    def run(self, name: str) -> str:
        """Run one; return why it could not be checked here, or "". When all have run, the file counts as tried.

        Raises CheckFailed, with the frames that raised it if they are of this process; MachineError, KataError.
        """
        failure = None if self._is_walled else self._stepped.run(name)
        result = next(each for each in self.result.checks if each.name == name)
        if name in self._left:
            self._left.discard(name)
            if not self._left:
                note_record(self._workspace, self._submission, self._results[0], [self._work])
        if failure is not None or result.outcome == "failed":
            raise failure or CheckFailed(result.message)
        if result.outcome == "error":
            raise GraderBroken(result.message)
        return result.message if result.outcome == "skipped" else ""

    @property
    def result(self) -> ExerciseResult:
        """What they have come to. Raises MachineError, KataError."""
        return self._results[0].exercises[0]

    @property
    def mismatches(self) -> Mismatches:
        """What can be seen of those that failed."""
        return self._results[1]

    def frames(self, error: CheckFailed, name: str) -> TracebackType | None:
        """The frames in which a debugger opens at a failure."""
        return error.__traceback__ if self._is_walled else self._stepped.frames(error, name)

    @property
    def _results(self) -> tuple[Record, Mismatches]:
        return self._graded if self._is_walled else (self._stepped.record(), self._stepped.mismatches())

    def _judged(self, submission: Submission) -> tuple[Record, Mismatches]:
        return judged(self._judge(), submission, [self._work.exercise.id])

    @cached_property
    def _submission(self) -> Submission:
        return submission_of(self._workspace, [self._work])

    @cached_property
    def _graded(self) -> tuple[Record, Mismatches]:
        return self._judged(self._submission)

    @cached_property
    def _stepped(self) -> SteppedExercise:
        from grader.judge.grading import SteppedExercise

        judge = cast("Judge", self._judge())
        judge.choose([self._work.exercise.id])
        return SteppedExercise(judge, self._work.exercise, self._submission, self._work.path)
