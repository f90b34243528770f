"""A learner's file in pytest when another process judges it: all of its checks are graded in one request."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from grader.course import Exercise
from grader.intake import Submission
from grader.judge.errors import CheckFailed, GraderBroken
from grader.judge.points import Hidden
from grader.mismatch import Mismatch
from grader.practice.checking import note_record, reviews_among, submission_of
from grader.practice.progress import DamagedProgress
from grader.practice.workspace import Workspace
from grader.record import CheckResult, Diagnosis, ExerciseResult, Record
from grader.sandbox.launch import MachineError
from grader.service.client import JudgeLine, ServedJudge
from grader.service.line import Request
from grader.service.place import ServiceError


@dataclass(frozen=True)
class Graded:
    """The judge's results."""

    submission: Submission
    record: Record
    mismatches: dict[tuple[str, str], Mismatch]


class GradedFile(pytest.File):
    """The collector of a learner's file; its items are the checks of its exercise."""

    workspace: Workspace
    exercise: Exercise
    line: JudgeLine
    seed: int
    left: set[str]
    """Checks that have not been looked at."""
    is_done = False
    """Whether all have been."""
    has_hidden = False
    """Whether the course folder lacks some checks."""

    @classmethod
    def of(cls, parent: pytest.Collector, path: Path, workspace: Workspace, exercise: Exercise) -> GradedFile:
        """Create the node for `path`."""
        node: GradedFile = cls.from_parent(parent, path=path)
        node.workspace, node.exercise, node.left = workspace, exercise, set()
        return node

    def collect(self) -> Iterable[pytest.Item]:
        """An item for each check, as the judge lists them."""
        try:
            told = self.line.ask(Request("checks", self.seed, (self.exercise.id,))).value[self.exercise.id]
        except (GraderBroken, ServiceError) as error:
            raise self.CollectError(str(error)) from None
        except MachineError as error:
            raise self.CollectError(f"This machine cannot isolate your code: {error}") from None
        for name, title, is_here in told:
            if is_here:
                self.left.add(name)
                yield GradedCheck.of(self, name, title)
            else:
                self.has_hidden = True
                yield Hidden.of(self, name)

    @cached_property
    def graded(self) -> Graded:
        """The judge's results for the file as it is now. Raises MachineError, GraderBroken, SubmissionError."""
        submission = submission_of(self.workspace, {self.exercise.id: self.path})
        records: list[Record] = []
        mismatches: dict[tuple[str, str], Mismatch] = {}

        def show(_: str, exercise: str, check: str, mismatch: Mismatch) -> None:
            mismatches[exercise, check] = mismatch

        judge = ServedJudge(self.line, self.seed, [self.exercise.id], 1)
        judge.grade([submission], records.append, show=show)
        return Graded(submission, records[0], mismatches)

    def result_of(self, check: str) -> CheckResult:
        """How one check ended. When all have been looked at, the file counts as tried, as by `kata check`."""
        result = next((each for each in self.result.checks if each.name == check), None)
        if result is None:
            raise GraderBroken("The checks were changed after they were collected: run pytest again.")
        if check in self.left:
            self.left.discard(check)
            if not self.left:
                self._note(self.graded)
                self.is_done = True
        return result

    @property
    def result(self) -> ExerciseResult:
        """What the exercise came to. Raises as `graded` does."""
        (exercise,) = self.graded.record.exercises
        return exercise

    def mismatch_of(self, check: str) -> Mismatch | None:
        """The mismatch of a check, if it has one."""
        return self.graded.mismatches.get((self.exercise.id, check))

    def diagnosis(self) -> tuple[Diagnosis, ...]:
        """The known mistakes in a file that was looked at."""
        return self.result.diagnosis

    def _note(self, graded: Graded) -> None:
        """Write the results into the progress file. An error there must not fail the run."""
        reviews = reviews_among(self.workspace, {self.exercise.id: self.path})
        with contextlib.suppress(OSError, DamagedProgress):
            note_record(self.workspace, graded.submission, graded.record, reviews)


class GradedCheck(pytest.Item):
    """One check of a learner's file."""

    title: str
    file: GradedFile

    @classmethod
    def of(cls, parent: GradedFile, name: str, title: str) -> GradedCheck:
        """Create the item for a check."""
        item: GradedCheck = cls.from_parent(parent, name=name)
        item.title, item.file = title, parent
        if item.config.pluginmanager.hasplugin("timeout"):
            # the judge limits the time of the learner's code; waiting for other requests is not its fault
            item.add_marker(pytest.mark.timeout(0))
        return item

    def runtest(self) -> None:
        """Raises CheckFailed for a fault of the learner's, MachineError and GraderBroken for others."""
        result = self.file.result_of(self.name)
        if result.outcome == "failed":
            raise CheckFailed(result.message)
        if result.outcome == "error":
            raise GraderBroken(result.message)
        if result.outcome == "skipped":
            pytest.skip(result.message)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.path.stem}: {self.name}"
