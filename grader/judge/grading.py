"""Grades submissions: each exercise runs in a process of its own and is judged by that process's answers.

A session is one exercise of one submission, from start to result: its checks ask, and its process answers.
"""

from __future__ import annotations

import gc
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from grader.course import Course
from grader.course.stubs import same_as_stub
from grader.intake import Submission
from grader.record import (
    POINTS_TOLERANCE,
    VERSION,
    CheckResult,
    CourseStamp,
    Diagnosis,
    ExerciseResult,
    Mismatch,
    Outcome,
    Record,
    Shown,
    Status,
    inert,
    totals,
)
from grader.sandbox.levels import Launched, Level, MachineError
from grader.sandbox.sandbox import open_sandbox
from grader.sandbox.worker import Budget

from .bank import Mistake
from .checks import CHECK_ERRORS, Check, LearnerModule, Role
from .diagnosis import Naming
from .faults import CheckFailed, GraderBroken, NotInPlan, place_of
from .plan import Kit, Plan, expected_of
from .process import QUITTING, LocalProcess, Process, WalledProcess
from .questions import Exchange
from .shown import mismatch_of

MAX_MESSAGE = 2000

MAX_KEPT_BYTES = 4 * 1024 * 1024
"""Limit for the answers of one session kept for the diagnosis; a whole course's right answers take a tenth of it
each. Without a limit, one submission's answers could fill the judge's memory. Of a talk only the reading is kept: a few
plain values, which the course's own code makes."""

NOT_IN_PLAN = "This can only be checked when you hand in."
UNCOUNTED = "Counts once the main check of this exercise passes."

EARLY: tuple[Role, ...] = ("main", "behaviour")
"""Roles of checks whose points count even when a main check fails."""


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

    def examined(self, submission: Submission) -> Iterator[tuple[Session, ExerciseResult]]:
        """Each exercise's session, which has everything that was asked and answered, and its result.

        Raises MachineError when this machine can no longer isolate, GraderBroken.
        """
        whole = Budget(self.course.submission_seconds, "submission time")
        sessions = [Session(self, kit, submission, whole) for kit in self.kits.values()]
        try:
            while sessions:
                self._examine(sessions)
                if sessions[0].is_broken and self.sandbox is not None:  # try once more, with a new one
                    for each in sessions:
                        each.close()
                    self.sandbox.close()
                    self.sandbox = open_sandbox(self.level)
                    self.sandbox.await_ready()
                    self._examine(sessions)
                sessions[0].close()
                yield sessions[0], sessions.pop(0).result()
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
            problems=submission.problems,
            **totals(results),
        )


# --- one exercise of one submission -----------------------------------------------------------------------------------


class Ending(NamedTuple):
    """How one check ended for one submission."""

    outcome: Outcome
    message: str = ""


PASSED = Ending("passed")
SKIPPED = Ending("skipped")

STATUSES: Mapping[Outcome, Status] = {"error": "error", "failed": "failed", "skipped": "partly"}
"""What an exercise comes to by the worst that one of its checks came to, the worst first."""


def ending_of(error: BaseException, written_in: Path) -> Ending:
    """Classify an error: only CheckFailed is the learner's; others are the grader's fault, or not in a plan.

    written_in: the file of the check, for its author.
    """
    if isinstance(error, CheckFailed):  # it may quote text of any length from a learner's code
        text = inert(str(error))  # as the record will hold it: escaping makes it longer
        return Ending("failed", text if len(text) <= MAX_MESSAGE else text[:MAX_MESSAGE] + " ...")
    if isinstance(error, MachineError):
        return Ending("error", str(error))
    if isinstance(error, NotInPlan):
        return Ending("skipped", NOT_IN_PLAN)
    told = f"{type(error).__name__}: {error}, {place_of(error, written_in)}"
    return Ending("error", f"The grader failed at this check ({told})")


class Session:
    """What the checks of one exercise share while they run for one submission.

    `endings` has how each check ended that has run. `is_broken`: the sandbox broke. `nothing`: why there is nothing to
    check, if so.
    """

    def __init__(
        self, judge: Judge, kit: Kit, submission: Submission, whole: Budget | None = None, path: str = ""
    ) -> None:
        """whole: what the whole submission may use. path: of the learner's file, for a debugger."""
        self.kit = kit
        source = submission.sources.get(kit.exercise.id)
        refusals = [each.message for each in submission.problems if each.exercise == kit.exercise.id]
        self._content, self._refusal = (source.content, "") if source else (b"", " ".join(refusals))
        self.nothing: Literal["missing", "not_started"] | None = None
        if source is None and not refusals:
            self.nothing = "missing"
        elif source is not None and same_as_stub(source.content, kit.stub):
            self.nothing = "not_started"
        self._judge, self._whole, self._path = judge, whole, path
        self.endings: dict[str, Ending] = {}
        self.is_broken = False
        self._learners: dict[str, LearnerModule] = {}
        self._started: float | None = None

    @property
    def expected(self) -> Plan:
        """What is expected. Raises GraderBroken when that cannot be worked out."""
        return self._judge.expected(self.kit)

    @cached_property
    def process(self) -> Process:
        """The learner's process: behind the wall, or in this process where there is none."""
        exercise, sandbox = self.kit.exercise, self._judge.sandbox
        if sandbox is None:
            return LocalProcess(exercise, self._content, self._refusal, self._path)
        return WalledProcess(exercise, self._content, sandbox, self.expected.rounds, self._whole, self._refusal)

    def begin(self) -> Process:
        """Have the learner's code loaded and asked, which is not waited for."""
        return self.process

    def run(self) -> None:
        """Run all checks."""
        self._started, self.is_broken = time.perf_counter(), False
        self._learners.clear()
        for check in self.kit.checks:
            self.ask(check)

    def ask(self, check: Check) -> BaseException | None:
        """Run one check, unless its answers are already known to be right; returns the error that ended it.

        When all planned questions were answered exactly as by the reference, to the last bit, it need not run: the
        judge made these bytes itself, and the check passed with them.
        """
        try:
            planned = self.expected.checks[check.name]
            if planned.right is None or self.process.replies(planned) != planned.right:
                draw = self.expected.draw(check.name)
                learner = self._learners[check.name] = LearnerModule(
                    self.process.answering(planned),
                    self.expected,
                    draw,
                    source=self.process.text,
                    given=self.kit.stub,
                    forbidden_reason=self.process.forbidden.reason,
                    is_visible=check.visible,
                )
                check.run(learner, draw)
            self.endings[check.name] = PASSED
        except CHECK_ERRORS as error:
            self.endings[check.name] = ending_of(error, self.kit.checks_path)
            self.is_broken = self.is_broken or isinstance(error, MachineError)
            return error
        finally:
            # far more than expected matches no known mistake either
            if check.name in self._learners and self.process.read_bytes > MAX_KEPT_BYTES:
                self._learners[check.name].exchanges.clear()
        return None

    def step(self, name: str) -> CheckFailed | None:
        """Run one check by itself, and return its failure, with the frames that raised it. Raises QUITTING."""
        error = self.ask(next(check for check in self.kit.checks if check.name == name))
        if isinstance(error, QUITTING):
            raise error
        return error if isinstance(error, CheckFailed) else None

    def asked(self, check: str) -> Sequence[Exchange]:
        """A check's questions and answers, with hidden inputs: the plan's if they were known to be right.

        Empty if there were none, or too large ones.
        """
        return (self._learners.get(check) or self.expected.checks[check]).exchanges

    def close(self) -> None:
        """End the learner's process."""
        if process := self.__dict__.pop("process", None):
            process.close()

    # --- what it came to ------------------------------------------------------------------------------------------

    def result(self) -> ExerciseResult:
        """The exercise's result; checks that have not run are skipped."""
        endings = {check.name: self.endings.get(check.name, SKIPPED) for check in self.kit.checks}
        if _is_main_passed(self.kit, endings):  # otherwise the main checks' failures say enough
            for name, learner in self._learners.items():
                if learner.doubts and endings[name] == PASSED:
                    endings[name] = Ending("failed", learner.doubts[0])
        checks = tuple(_results(self.kit, endings))
        diagnosis = tuple(Diagnosis(mistake=each.id, message=each.message) for each in self.diagnosis())
        outcomes = {(each.outcome, check.role) for check, each in zip(self.kit.checks, checks, strict=True)}
        came_to = {outcome for outcome, role in outcomes if (outcome, role) != ("failed", "repair")}
        status: Status = next((STATUSES[each] for each in STATUSES if each in came_to), "passed")
        return ExerciseResult(
            id=self.kit.exercise.id,
            status=self.nothing or status,
            points=round(math.fsum(check.points for check in checks), 6),
            max_points=self.kit.exercise.points,
            checks=checks,
            diagnosis=diagnosis,
            seconds=0.0 if self._started is None else time.perf_counter() - self._started,
        )

    def diagnosis(self) -> list[Mistake]:
        """The known mistakes that explain the failures so far; none when the plan lacks something that this needs."""
        ran = [check for check in self.kit.checks if check.name in self.endings]
        failed = {check.name: check.role == "main" for check in ran if self.endings[check.name] != PASSED}
        if failed:
            with self._harmless("No diagnosis"):
                return Naming({check.name: self.asked(check.name) for check in ran}, failed, self.expected).named()
        return []

    def mismatches(self) -> dict[str, Mismatch]:
        """What can be seen of each visible check that failed, by its name."""
        found: dict[str, Mismatch] = {}
        with self._harmless("Nothing to see"):
            for name, learner in self._learners.items():
                is_shown = learner.is_visible and self.endings[name].outcome == "failed"
                if is_shown and (mismatch := mismatch_of(learner.exchanges, self.expected)) is not None:
                    found[name] = mismatch
        return found

    @contextmanager
    def _harmless(self, told: str) -> Iterator[None]:
        """An error in it must not cost any points, nor end the batch. What the plan lacks is not even told."""
        try:
            yield
        except NotInPlan:
            pass
        except Exception as error:
            print(f"{told} of {self.kit.exercise.id}: {type(error).__name__}: {error}", file=sys.stderr)


def _is_main_passed(kit: Kit, endings: Mapping[str, Ending]) -> bool:
    return all(endings[each.name].outcome == "passed" for each in kit.checks if each.role == "main")


def _results(kit: Kit, endings: Mapping[str, Ending]) -> Iterator[CheckResult]:
    """The results of checks that ended so. As long as only some of them could run, there are no points."""
    is_main_passed = _is_main_passed(kit, endings)
    is_known = all(ending.outcome != "skipped" for ending in endings.values())
    for each in kit.checks:
        ending, counts = endings[each.name], is_main_passed or each.role in EARLY
        is_passed = is_known and ending.outcome == "passed"
        yield CheckResult(
            name=each.name,
            title=each.title,
            outcome=ending.outcome,
            points=each.points if is_passed and counts else 0.0,
            max_points=each.points,
            visible=each.visible,
            message=UNCOUNTED if is_passed and not counts else ending.message,
        )
