"""One exercise of a learner in this process, check by check: for a debugger, and for what the code prints.

The checks, the session and the result are those of any judge, but nothing is walled off (isolation level "none").
"""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType

from grader.course import Exercise
from grader.intake import Submission
from grader.mismatch import Mismatch
from grader.record import CourseStamp, Problem, Record

from .faults import CheckFailed
from .grading import Ending, Judge, ask_check, ending_of, result_of
from .points import CHECK_ERRORS
from .process import QUITTING, LocalProcess, frames_of
from .session import Session


class SteppedExercise:
    """The checks of one exercise, run one by one on a learner's file."""

    def __init__(self, judge: Judge, exercise: Exercise, submission: Submission, path: Path) -> None:
        """path: the learner's file, which a debugger shows. Raises GraderBroken when the checks cannot be collected."""
        self._judge, self._submission, self._path = judge, submission, path
        self._kit = judge.kits[exercise.id]
        self._checks = {check.name: check for check in judge.checks_of(exercise.id)}
        self._endings: dict[str, Ending] = {}
        source = submission.sources.get(exercise.id)

        def start() -> LocalProcess:
            process = LocalProcess(exercise, source.content if source else b"", str(path))
            if source is None:
                process.refusal = " ".join(problem.message for problem in submission.problems)
            return process

        self._session = Session(start, judge.expected(self._kit), self._kit.stub)

    def run(self, name: str) -> CheckFailed | None:
        """Run one check, and return its failure, with the frames that raised it. Raises QUITTING."""
        check = self._checks[name]
        try:
            ask_check(check, self._session)
        except QUITTING:
            raise
        except CHECK_ERRORS as error:
            self._endings[name] = ending_of(error, check.file)
            return error if isinstance(error, CheckFailed) else None
        self._endings[name] = Ending("passed")
        return None

    def frames(self, error: BaseException, name: str) -> TracebackType | None:
        """Where a debugger opens at a failed check: in the learner's lines; where none raised it, in the check's."""
        trace = error.__traceback__
        return frames_of(trace, str(self._path)) or frames_of(trace, str(self._checks[name].file)) or trace

    def record(self) -> Record:
        """The record; checks that have not run are skipped."""
        course = self._judge.course
        worths = {name: check.worth for name, check in self._checks.items()}
        endings = {name: self._endings.get(name, Ending("skipped")) for name in self._checks}
        return Record.of(
            submission=self._submission.name,
            isolation="none",
            seed=self._judge.seed,
            course=CourseStamp(title=course.title, version=course.version),
            exercises=[result_of(self._kit, self._session, worths, endings, time.perf_counter())],
            problems=[Problem(file=p.file, kind=p.kind, message=p.message) for p in self._submission.problems],
        )

    def mismatches(self) -> dict[tuple[str, str], Mismatch]:
        """The mismatches of the visible checks that failed."""
        failed = [name for name, ending in self._endings.items() if ending.outcome == "failed"]
        seen = {(self._kit.exercise.id, name): self._session.mismatch(name) for name in failed}
        return {key: mismatch for key, mismatch in seen.items() if mismatch is not None}
