"""The checks of one learner's file, one by one, as pytest runs them.

The judge grades them all in one request. In this process (isolation level "none") each runs by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from grader.course import Exercise
from grader.intake import Submission
from grader.judge.faults import CheckFailed, GraderBroken
from grader.mismatch import Mismatches
from grader.record import HIDDEN, ExerciseResult, Record

from .checking import SUBMITTER, graded, note_record, reviews_among, submission_of
from .workspace import Workspace

if TYPE_CHECKING:
    from types import TracebackType

    from grader.judge.grading import Judge
    from grader.judge.stepping import SteppedExercise
    from grader.service.client import AnyJudge


class FileChecks:
    """The checks of a file. `is_walled`: whether the judge runs the learner's code elsewhere than in this process."""

    def __init__(
        self, workspace: Workspace, exercise: Exercise, path: Path, judge: Callable[[], AnyJudge], *, is_walled: bool
    ) -> None:
        self._workspace, self._exercise, self._path = workspace, exercise, path
        self._course_judge, self._is_walled = judge, is_walled
        self._left: set[str] = set()
        """Those that have not run."""

    def listed(self) -> dict[str, bool]:
        """Their names, and whether each can be run here. Raises MachineError, KataError."""
        record, _ = graded(self._judge, Submission(SUBMITTER, {}, ()))  # without work: the checks alone
        listed = {check.name: check.message != HIDDEN for check in record.exercises[0].checks}
        self._left = {name for name, can_run in listed.items() if can_run}
        return listed

    @property
    def is_done(self) -> bool:
        """Whether all that can be run have run."""
        return not self._left

    def run(self, name: str) -> str:
        """Run one; return why it could not be run here, or "". When all have run, the file counts as tried.

        Raises CheckFailed, with the frames that raised it if they are of this process; MachineError, KataError.
        """
        failure = None if self._is_walled else self._stepped.run(name)
        result = next((each for each in self.result.checks if each.name == name), None)
        if result is None:
            raise GraderBroken("The checks were changed after they were collected: run pytest again.")
        if name in self._left:
            self._left.discard(name)
            if not self._left:
                self._note()
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

    @property
    def _judge(self) -> AnyJudge:
        judge = self._course_judge()  # of all files
        judge.choose([self._exercise.id])
        return judge

    @cached_property
    def _submission(self) -> Submission:
        return submission_of(self._workspace, {self._exercise.id: self._path})

    @cached_property
    def _graded(self) -> tuple[Record, Mismatches]:
        return graded(self._judge, self._submission)

    @cached_property
    def _stepped(self) -> SteppedExercise:
        from grader.judge.stepping import SteppedExercise

        return SteppedExercise(cast("Judge", self._judge), self._exercise, self._submission, self._path)

    def _note(self) -> None:
        reviews = reviews_among(self._workspace, {self._exercise.id: self._path})
        note_record(self._workspace, self._submission, self._results[0], reviews)
