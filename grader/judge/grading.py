"""Grades submissions: each exercise runs in a process of its own and is judged by that process's answers."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from grader.course import Course
from grader.intake import Submission
from grader.record import (
    POINTS_TOLERANCE,
    VERSION,
    CourseStamp,
    ExerciseResult,
    Problem,
    Record,
    Shown,
    totals,
)
from grader.sandbox.levels import Launched, Level
from grader.sandbox.sandbox import open_sandbox
from grader.sandbox.worker import Budget

from .checks import Kit
from .faults import GraderBroken
from .plan import Plan
from .session import Session, expected_of


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
        self.choose(only)
        self.sandbox = open_sandbox(level, launched) if level != "none" else None
        self._expected: dict[str, Plan] = {}

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
    ) -> None:
        """Grade each submission and pass its record to `take` when it is ready; `advance` is called for each exercise.

        `show` gets the mismatches of failed visible checks, before the record that they belong to.
        Raises MachineError when this machine cannot isolate, GraderBroken when the checks cannot be collected.
        """
        self.prepare()
        for submission in submissions:
            results = []
            for session, result in self.examined(submission):
                if show is not None:
                    for check, mismatch in session.mismatches().items():
                        show(submission.name, result.id, check, mismatch)
                results.append(result)
                del session  # nothing that it was answered is kept while the ones after it are examined
                advance(result.id)
            take(self.record(submission, results))

    def prepare(self) -> None:
        """Collect the checks, and wait until learners' code can be run. Raises as `grade` does."""
        for kit in self.kits.values():
            worth, points = math.fsum(check.points for check in kit.checks), kit.exercise.points
            if abs(worth - points) > POINTS_TOLERANCE:
                told = f"its checks are worth {worth:g} points, course.yml says {points:g}"
                raise GraderBroken(f"{kit.exercise.id}: {told}")
        if not gc.get_freeze_count():
            # exempt torch's hundred thousand objects, which stay, from every later collection
            gc.freeze()
        gc.enable()  # it was off while everything was loaded (sandbox/levels.py)
        if self.sandbox is not None:
            self.sandbox.await_ready()

    def close(self) -> None:
        """End the sandbox."""
        if self.sandbox is not None:
            self.sandbox.close()

    # --- one submission ---------------------------------------------------------------------------------------

    def examined(self, submission: Submission) -> Iterator[tuple[Session, ExerciseResult]]:
        """Each exercise's session, which has everything that was asked and answered, and its result.

        Raises MachineError when this machine can no longer isolate, GraderBroken.
        """
        whole = Budget(self.course.submission_seconds, "submission time")
        sessions = [Session(self, kit, submission, whole) for kit in self.kits.values()]
        try:
            while sessions:
                started = time.perf_counter()
                self._examine(sessions)
                if sessions[0].is_broken and self.sandbox is not None:  # try once more, with a new one
                    for each in sessions:
                        each.close()
                    self.sandbox.close()
                    self.sandbox = open_sandbox(self.level)
                    self.sandbox.await_ready()
                    sessions = [Session(self, each.kit, submission, whole) for each in sessions]
                    self._examine(sessions)
                result = sessions[0].result(started)
                sessions[0].close()
                yield sessions.pop(0), result
        finally:
            for each in sessions:
                each.close()

    def _examine(self, sessions: Sequence[Session]) -> None:
        """Run the checks of the first; the next one's code is locked down and answers on another core meanwhile."""
        if not sessions[0].nothing:
            for each in [each for each in sessions if not each.nothing][:2]:
                each.begin()
            sessions[0].run()

    def expected(self, kit: Kit) -> Plan:
        """What is expected of an exercise with the current seed; its plan is made once.

        Raises GraderBroken for a plan that is missing, damaged or of another seed.
        """
        id = kit.exercise.id
        if id not in self._expected or self._expected[id].seed != self.seed:
            if kit.code is not None:
                kit.code.forget()
            self._expected[id] = expected_of(kit, self.seed)
        return self._expected[id]

    def record(self, submission: Submission, results: Sequence[ExerciseResult]) -> Record:
        """The record of a submission from its exercises' results."""
        return Record(
            version=VERSION,
            submission=submission.name,
            isolation=self.level,
            seed=self.seed,
            course=CourseStamp(title=self.course.title, version=self.course.version),
            exercises=tuple(results),
            problems=tuple(Problem(file=p.file, kind=p.kind, message=p.message) for p in submission.problems),
            **totals(results),
        )
