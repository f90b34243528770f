"""Grades submissions: each exercise runs in a process of its own and is judged by that process's answers.

For a debugger, and for what the code prints, the checks of one exercise run one by one in this process.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal

from grader.course import Course, Exercise
from grader.intake import Submission
from grader.mismatch import Mismatch, Shown
from grader.record import POINTS_TOLERANCE, CourseStamp, ExerciseResult, Problem, Record
from grader.sandbox.levels import Launched, Level
from grader.sandbox.sandbox import AnySandbox, open_sandbox
from grader.sandbox.worker import Budget

from .checks import CHECK_ERRORS, Kit
from .expected import Expected
from .faults import CheckFailed, GraderBroken
from .process import QUITTING, LocalProcess, Process, WalledProcess, frames_of
from .rehearsal import expected_of
from .session import Session, without_work

Nothing = Literal["missing", "not_started"]

Attend = Callable[[Session, ExerciseResult], None]
"""Called with each exercise's session and its result."""


class Judge:
    """Grades submissions of one course at one isolation level with one seed.

    The sandbox starts at once, so that torch loads there and in this process at the same time.
    """

    def __init__(
        self,
        course: Course,
        level: Level,
        seed: int,
        only: Sequence[str] = (),
        launched: Launched | None = None,
    ) -> None:
        self.course = course
        self.level: Level = level
        self.seed = seed
        self._all_kits = {each.id: Kit(course, each) for each in course.exercises}
        self.kits: dict[str, Kit] = {}
        self.choose(only)
        self.sandbox = open_sandbox(level, launched) if level != "none" else None
        self._expected: dict[str, Expected] = {}

    def choose(self, only: Sequence[str] = ()) -> None:
        """Grade these exercises from now on, all when none is named. Raises CourseError."""
        wanted = {self.course.exercise(id).id for id in only} or self._all_kits.keys()
        self.kits = {id: kit for id, kit in self._all_kits.items() if id in wanted}

    def grade(
        self,
        submissions: Iterable[Submission],
        take: Callable[[Record], None],
        advance: Callable[[str], None] = lambda exercise: None,
        show: Shown | None = None,
        attend: Attend | None = None,
    ) -> None:
        """Grade each submission and pass its record to `take` when it is ready; `advance` is called for each exercise.

        `show` gets the mismatches of failed visible checks, before the record that they belong to; `attend` gets
        everything that was asked and answered, hidden inputs included.
        Raises MachineError when this machine cannot isolate, GraderBroken when the checks cannot be collected.
        """
        if wrong := [problem for kit in self.kits.values() for problem in _unbalanced(kit)]:
            raise GraderBroken("; ".join(wrong))
        if not gc.get_freeze_count():
            # exempt torch's hundred thousand objects, which stay, from every later collection
            gc.freeze()
        gc.enable()  # it was off while everything was loaded (sandbox/levels.py)
        self.await_ready()
        for submission in submissions:
            take(self._grade(submission, advance, show, attend))

    def await_ready(self) -> None:
        """Wait until learners' code can be run. Raises MachineError when this machine cannot isolate."""
        if self.sandbox is not None:
            self.sandbox.await_ready()

    def close(self) -> None:
        """End the sandbox."""
        if self.sandbox is not None:
            self.sandbox.close()

    # --- one submission ---------------------------------------------------------------------------------------

    def _grade(
        self, submission: Submission, advance: Callable[[str], None], show: Shown | None, attend: Attend | None
    ) -> Record:
        whole = Budget(self.course.submission_seconds, "submission time")
        opened = [(kit, self.session(kit, submission, whole)) for kit in self.kits.values()]
        left = [session for _, session in opened if isinstance(session, Session)]
        sessions, results = list(left), []
        try:
            for kit, session in opened:
                if isinstance(session, Session):
                    left.remove(session)
                    results.append(self._examine(session, left[:1]))
                    if show is not None:
                        for check, mismatch in session.mismatches().items():
                            show(submission.name, kit.exercise.id, check, mismatch)
                    if attend is not None:
                        attend(session, results[-1])
                else:
                    results.append(without_work(kit, session))
                advance(kit.exercise.id)
        finally:
            for each in sessions:
                each.close()
        return self.record(submission, results)

    def session(
        self, kit: Kit, submission: Submission, whole: Budget | None = None, path: str = ""
    ) -> Session | Nothing:
        """One submission at one exercise, not started yet; or why there is nothing to start.

        whole: what the whole submission may use. path: where the learner's file is, for a debugger in this process.
        """
        source = submission.sources.get(kit.exercise.id)
        refusals = [problem.message for problem in submission.problems if problem.exercise == kit.exercise.id]
        if source is None and not refusals:
            return "missing"
        if source is not None and kit.is_untouched(source.content):
            return "not_started"
        content = source.content if source else b""

        def open(expected: Expected) -> Process:
            process: Process = LocalProcess(kit.exercise, content, path)
            if self.sandbox is not None:
                process = WalledProcess(kit.exercise, content, self._running_sandbox, expected.plan.rounds, whole)
            process.refusal = "" if source else " ".join(refusals)
            return process

        return Session(kit, lambda: self.expected(kit), open)

    def expected(self, kit: Kit) -> Expected:
        """What is expected of an exercise with the current seed; its plan is made once.

        Raises GraderBroken for a plan that is missing, damaged or of another seed.
        """
        id = kit.exercise.id
        if id not in self._expected or self._expected[id].seed != self.seed:
            kit.forget()
            self._expected[id] = expected_of(kit, self.seed)
        return self._expected[id]

    def record(self, submission: Submission, results: Sequence[ExerciseResult]) -> Record:
        """The record of a submission from its exercises' results."""
        return Record.of(
            submission=submission.name,
            isolation=self.level,
            seed=self.seed,
            course=CourseStamp(title=self.course.title, version=self.course.version),
            exercises=results,
            problems=[Problem(file=p.file, kind=p.kind, message=p.message) for p in submission.problems],
        )

    def _running_sandbox(self) -> AnySandbox:
        assert self.sandbox is not None
        return self.sandbox

    def _examine(self, session: Session, ahead: Sequence[Session]) -> ExerciseResult:
        """Run the checks of one exercise; if the sandbox breaks, retry once with a new one, then report the error.

        ahead: whose code is locked down, loads and answers on another core meanwhile.
        """
        started = time.perf_counter()
        for each in (session, *ahead):
            each.process.start()
        session.run()
        if session.is_broken and self.sandbox is not None:
            for each in (session, *ahead):
                each.begin_again()
            self.sandbox.close()
            self.sandbox = open_sandbox(self.level)
            self.await_ready()
            session.run()
        result = session.result(started)
        session.close()
        return result


def _unbalanced(kit: Kit) -> list[str]:
    """Report an exercise whose checks do not add up to its points."""
    worth = math.fsum(check.worth.points for check in kit.checks)
    if abs(worth - kit.exercise.points) <= POINTS_TOLERANCE:
        return []
    return [f"{kit.exercise.id}: its checks are worth {worth:g} points, course.yml says {kit.exercise.points:g}"]


# --- check by check, in this process ----------------------------------------------------------------------------------


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
