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
from grader.record import Record

from .faults import CheckFailed, GraderBroken
from .grading import Judge
from .points import CHECK_ERRORS
from .process import QUITTING, frames_of
from .session import Session


class SteppedExercise:
    """The checks of one exercise, run one by one on a learner's file."""

    def __init__(self, judge: Judge, exercise: Exercise, submission: Submission, path: Path) -> None:
        """path: the learner's file, which a debugger shows. Raises GraderBroken when the checks cannot be collected."""
        self._judge, self._submission, self._path = judge, submission, path
        self._checks = {check.name: check for check in judge.kits[exercise.id].checks}
        session = judge.session(judge.kits[exercise.id], submission, path=str(path))
        if not isinstance(session, Session):
            raise GraderBroken(f"there is nothing to check in {path.name}")
        self._session = session

    def run(self, name: str) -> CheckFailed | None:
        """Run one check, and return its failure, with the frames that raised it. Raises QUITTING."""
        try:
            self._session.ask(self._checks[name])
        except QUITTING:
            raise
        except CHECK_ERRORS as error:
            return error if isinstance(error, CheckFailed) else None
        return None

    def frames(self, error: BaseException, name: str) -> TracebackType | None:
        """Where a debugger opens at a failed check: in the learner's lines; where none raised it, in the check's."""
        trace = error.__traceback__
        return frames_of(trace, str(self._path)) or frames_of(trace, str(self._checks[name].file)) or trace

    def record(self) -> Record:
        """The record; checks that have not run are skipped."""
        return self._judge.record(self._submission, [self._session.result(time.perf_counter())])

    def mismatches(self) -> dict[tuple[str, str], Mismatch]:
        """The mismatches of the visible checks that failed."""
        id = self._session.kit.exercise.id
        return {(id, name): mismatch for name, mismatch in self._session.mismatches().items()}
