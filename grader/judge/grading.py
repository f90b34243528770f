"""Grades submissions: each exercise runs in a process of its own and is judged by that process's answers."""

from __future__ import annotations

import gc
import math
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Literal

from grader.course import Course, Exercise
from grader.intake import Submission
from grader.mismatch import Mismatch, Shown
from grader.record import (
    POINTS_TOLERANCE,
    CheckResult,
    CourseStamp,
    Diagnosis,
    ExerciseResult,
    Outcome,
    Problem,
    Record,
    Status,
    inert,
)
from grader.sandbox.clock import Budget
from grader.sandbox.launch import JoinedZygote, Launched, MachineError
from grader.sandbox.levels import Level
from grader.sandbox.sandbox import AnySandbox, open_sandbox

from .authored import line_of, place
from .checks import Check, Kit, Worth, collect_checks
from .expected import Expected
from .faults import CheckFailed, GraderBroken, NotInPlan
from .plan import Plan
from .points import CHECK_ERRORS, Role
from .process import LocalProcess, WalledProcess
from .rehearsal import expected_of
from .session import Process, Session

MAX_MESSAGE = 2000
MANY = 8
"""After this many submissions, the sandbox preloads what torch loads late: many more are likely, and some need it."""

NOT_IN_PLAN = "This can only be checked when you hand in."
UNCOUNTED = "Counts once the main check of this exercise passes."

EARLY: tuple[Role, ...] = ("main", "behaviour")
"""Roles of checks whose points count even when a main check fails."""

Nothing = Literal["missing", "not_started"]

Attend = Callable[[Session, ExerciseResult], None]
"""Called with each exercise's session and its result."""


@dataclass(frozen=True)
class Ending:
    """How one check ended for one submission."""

    outcome: Outcome | Literal["machine"]
    message: str = ""


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
        launched: Launched | JoinedZygote | None = None,
    ) -> None:
        self.course = course
        self.level: Level = level
        self.seed = seed
        self._known_kits: dict[str, Kit] = {}
        self.kits: dict[str, Kit] = {}
        self.choose(only)
        self.worths: dict[str, dict[str, Worth]] = {}
        """Points and titles of each exercise's checks; filled by `grade`."""
        self.sandbox = open_sandbox(level, launched) if level != "none" else None
        self._checks: dict[str, tuple[Check, ...]] = {}
        self._expected: dict[str, Expected] = {}
        self._planned_seed = seed
        self._graded = 0

    def choose(self, only: Sequence[str] = ()) -> None:
        """Grade these exercises from now on, all when none is named. Raises CourseError."""
        wanted = {self.course.exercise(id).id for id in only} or {each.id for each in self.course.exercises}
        self.kits = {each.id: self._kit(each) for each in self.course.exercises if each.id in wanted}

    def _kit(self, exercise: Exercise) -> Kit:
        if exercise.id not in self._known_kits:
            self._known_kits[exercise.id] = Kit(self.course, exercise)
        return self._known_kits[exercise.id]

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
        self._collect()
        if not gc.get_freeze_count():
            # exempt torch's hundred thousand objects, which stay, from every later collection
            gc.freeze()
        gc.enable()  # it was off while everything was loaded (sandbox/launch.py)
        self.await_ready()
        for submission in submissions:
            take(self._grade(submission, advance, show, attend))
            self._graded += 1
            if self._graded == MANY and self.sandbox is not None:
                self.sandbox.expect_many()

    def _collect(self) -> None:
        """Collect the checks of the chosen exercises, each once. Raises GraderBroken."""
        kits = [kit for id, kit in self.kits.items() if id not in self._checks]
        if not kits:
            return
        checks = collect_checks(self.course, kits)
        if wrong := [problem for kit in kits for problem in _unbalanced(kit, checks[kit.exercise.id])]:
            raise GraderBroken("; ".join(wrong))
        self.worths.update({id: {check.name: check.worth for check in each} for id, each in checks.items()})
        self._checks.update(checks)

    def checks_of(self, id: str) -> tuple[Check, ...]:
        """The checks of an exercise. Raises GraderBroken when they cannot be collected."""
        self._collect()
        return self._checks[id]

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
        going = _Going((kit, self._open(kit, submission, whole)) for kit in self.kits.values())
        results = []
        try:
            for kit, session in going:
                if isinstance(session, Session):
                    results.append(self._examine(kit, session, going))
                    if show is not None:
                        _show_failures(submission, session, results[-1], show)
                    if attend is not None:
                        attend(session, results[-1])
                else:
                    results.append(_without_work(kit, session, self._checks[kit.exercise.id]))
                advance(kit.exercise.id)
        finally:
            going.close()
        return Record.of(
            submission=submission.name,
            isolation=self.level,
            seed=self.seed,
            course=CourseStamp(title=self.course.title, version=self.course.version),
            exercises=results,
            problems=[Problem(file=p.file, kind=p.kind, message=p.message) for p in submission.problems],
        )

    def _open(self, kit: Kit, submission: Submission, whole: Budget) -> Session | Nothing:
        exercise = kit.exercise
        source = submission.sources.get(exercise.id)
        refusals = [problem.message for problem in submission.problems if problem.exercise == exercise.id]
        if source is None and not refusals:
            return "missing"
        if source is not None and kit.is_untouched(source.content):
            return "not_started"
        expected = self.expected(kit)
        content = source.content if source else b""

        def start() -> Process:
            process = self.process(exercise, content, expected.plan, whole)
            process.refusal = "" if source else " ".join(refusals)
            return process

        return Session(start, expected, kit.stub)

    def expected(self, kit: Kit) -> Expected:
        """What is expected of an exercise with the current seed; its plan is made once.

        Raises GraderBroken for a damaged bundle, or one without a plan for this seed.
        """
        if self._planned_seed != self.seed:
            self._expected.clear()
            for each in self._known_kits.values():
                each.forget()
            self._planned_seed = self.seed
        id = kit.exercise.id
        if id not in self._expected:
            self._expected[id] = expected_of(kit, self.checks_of(id), self.seed)
        return self._expected[id]

    def process(self, exercise: Exercise, source: bytes, plan: Plan, whole: Budget) -> Process:
        """The process for one exercise's file, behind the wall unless the level is "none"."""
        if self.sandbox is None:
            return LocalProcess(exercise, source)
        return WalledProcess(exercise, source, self._running_sandbox, plan.rounds, whole)

    def _running_sandbox(self) -> AnySandbox:
        assert self.sandbox is not None
        return self.sandbox

    def _examine(self, kit: Kit, session: Session, going: _Going) -> ExerciseResult:
        """Run the checks of one exercise; if the sandbox breaks, retry once with a new one, then report the error."""
        started = time.perf_counter()
        checks = self._checks[kit.exercise.id]
        endings = self._run(session, going, checks)
        if any(ending.outcome == "machine" for ending in endings.values()):
            going.begin_again()
            self._replace_sandbox()
            endings = self._run(session, None, checks)
        session.close()
        return result_of(kit, session, _worths(checks), endings, started)

    def _run(self, session: Session, going: _Going | None, checks: Sequence[Check]) -> dict[str, Ending]:
        session.process.start()
        if going is not None and (ahead := going.next_session()) is not None:
            ahead.process.start()  # it is locked down, loads and answers on another core meanwhile
        return {check.name: run_check(check, session) for check in checks}

    def _replace_sandbox(self) -> None:
        """Start again with a new zygote. Raises MachineError when that fails."""
        if self.sandbox is not None:
            self.sandbox.close()
            self.sandbox = open_sandbox(self.level)
            self._graded = 0
            self.await_ready()


class _Going:
    """The exercises of one submission in order, each opened one step ahead at the earliest.

    Opening an exercise makes its plan if there is none yet, while the worker of the exercise before it is busy.
    """

    def __init__(self, opening: Iterator[tuple[Kit, Session | Nothing]]) -> None:
        self._opening = opening
        self._opened: deque[tuple[Kit, Session | Nothing]] = deque()
        self._now: Session | Nothing = "missing"

    def __iter__(self) -> Iterator[tuple[Kit, Session | Nothing]]:
        while True:
            if not self._opened:
                self._opened.extend(islice(self._opening, 1))
            if not self._opened:
                return
            kit, self._now = self._opened.popleft()
            yield kit, self._now

    def next_session(self) -> Session | None:
        """Open and return the next session: of an exercise that has anything to run."""
        for _, each in chain(self._opened, self._open_more()):
            if isinstance(each, Session):
                return each
        return None

    def _open_more(self) -> Iterator[tuple[Kit, Session | Nothing]]:
        for each in self._opening:
            self._opened.append(each)
            yield each

    def begin_again(self) -> None:
        """Drop all that open sessions have come to; each starts a new worker when it is asked."""
        for each in self._open():
            each.begin_again()

    def close(self) -> None:
        """End the workers of open sessions."""
        for each in self._open():
            each.close()

    def _open(self) -> list[Session]:
        return [each for each in (self._now, *(each for _, each in self._opened)) if isinstance(each, Session)]


def run_check(check: Check, session: Session) -> Ending:
    """Run one check for one learner."""
    try:
        ask_check(check, session)
    except CHECK_ERRORS as error:
        return ending_of(error, check.file)
    return Ending("passed")


def ask_check(check: Check, session: Session) -> None:
    """Run one check, unless its answers are already known to be right. Raises whatever the check raises."""
    passed = False
    try:
        if not session.answers_like_the_reference(check.name):
            draw = session.expected.draw(check.name)
            check.run(session.learner(check.name, draw, is_visible=check.worth.visible), draw)
        passed = True
    finally:
        session.note(check.name, passed=passed, is_main=check.worth.role == "main")


def _worths(checks: Iterable[Check]) -> dict[str, Worth]:
    return {check.name: check.worth for check in checks}


def _show_failures(submission: Submission, session: Session, result: ExerciseResult, show: Shown) -> None:
    for check in result.checks:
        if check.visible and check.outcome == "failed":
            mismatch = _mismatch(session, check.name)
            if mismatch is not None:
                show(submission.name, result.id, check.name, mismatch)


def result_of(
    kit: Kit, session: Session, worths: Mapping[str, Worth], endings: Mapping[str, Ending], started: float
) -> ExerciseResult:
    """The exercise's result, once all checks have run; its seconds go from `started` (time.perf_counter) on."""
    endings = _with_doubts(endings, session.doubts(), worths)
    diagnosis = _diagnosis(session)
    return _result(kit, worths, endings, diagnosis, time.perf_counter() - started)


def _diagnosis(session: Session) -> list[Diagnosis]:
    """The known mistakes found. An error in the diagnosis must not cost any points, nor end the batch."""
    try:
        return [Diagnosis(mistake=mistake.id, message=mistake.message) for mistake in session.diagnosis()]
    except Exception as error:
        print(f"No diagnosis of {session.process.exercise.id}: {type(error).__name__}: {error}", file=sys.stderr)
        return []


def _mismatch(session: Session, check: str) -> Mismatch | None:
    """The mismatch of a failed check. An error here must not end the batch either."""
    try:
        return session.mismatch(check)
    except Exception as error:
        print(f"Nothing to see of {session.process.exercise.id}: {type(error).__name__}: {error}", file=sys.stderr)
        return None


def _with_doubts(
    endings: Mapping[str, Ending], doubts: Mapping[str, str], worths: Mapping[str, Worth]
) -> dict[str, Ending]:
    """Let doubtful outputs fail their checks if the main checks pass; otherwise those failures say enough."""
    if not all(endings[name].outcome == "passed" for name, worth in worths.items() if worth.role == "main"):
        return dict(endings)
    return {
        name: Ending("failed", doubts[name]) if name in doubts and ending.outcome == "passed" else ending
        for name, ending in endings.items()
    }


def _unbalanced(kit: Kit, checks: Sequence[Check]) -> list[str]:
    """Report an exercise whose checks do not add up to its points."""
    worth = math.fsum(check.worth.points for check in checks)
    if abs(worth - kit.exercise.points) <= POINTS_TOLERANCE:
        return []
    return [f"{kit.exercise.id}: its checks are worth {worth:g} points, course.yml says {kit.exercise.points:g}"]


def _without_work(kit: Kit, status: Nothing, checks: Sequence[Check]) -> ExerciseResult:
    return ExerciseResult(
        id=kit.exercise.id,
        status=status,
        points=0.0,
        max_points=kit.exercise.points,
        checks=tuple(_check(check.name, check.worth, Ending("skipped"), counts=False) for check in checks),
        diagnosis=(),
        seconds=0.0,
    )


def _result(
    kit: Kit,
    worths: Mapping[str, Worth],
    endings: Mapping[str, Ending],
    diagnosis: list[Diagnosis],
    seconds: float,
) -> ExerciseResult:
    passed = {name for name, ending in endings.items() if ending.outcome == "passed"}
    is_main_passed = all(name in passed for name, worth in worths.items() if worth.role == "main")
    # no points as long as only some of the checks could run
    is_known = all(ending.outcome != "skipped" for ending in endings.values())
    checks = tuple(
        _check(name, worth, endings[name], is_known=is_known, counts=is_main_passed or worth.role in EARLY)
        for name, worth in worths.items()
    )
    outcomes = {check.outcome for check in checks}
    behaviour = {endings[name].outcome for name, worth in worths.items() if worth.role != "repair"}
    status: Status
    if "error" in outcomes:
        status = "error"
    elif not checks or "failed" in behaviour:
        status = "failed"
    else:
        status = "passed" if is_known else "partly"
    return ExerciseResult(
        id=kit.exercise.id,
        status=status,
        points=round(math.fsum(check.points for check in checks), 6),
        max_points=kit.exercise.points,
        checks=checks,
        diagnosis=tuple(diagnosis),
        seconds=seconds,
    )


def _check(name: str, worth: Worth, ending: Ending, *, counts: bool, is_known: bool = True) -> CheckResult:
    is_passed = ending.outcome == "passed"
    return CheckResult(
        name=name,
        title=worth.title,
        outcome="error" if ending.outcome == "machine" else ending.outcome,
        points=worth.points if is_passed and counts and is_known else 0.0,
        max_points=worth.points,
        visible=worth.visible,
        message=UNCOUNTED if is_passed and is_known and not counts else ending.message,
    )


def _shortened(text: str) -> str:
    """Limit a message, which may quote text of any length from a learner's code."""
    text = inert(text)  # as the record will hold it: escaping makes it longer
    return text if len(text) <= MAX_MESSAGE else text[:MAX_MESSAGE] + " ..."


def ending_of(error: BaseException, written_in: Path | None = None) -> Ending:
    """Classify an error: only CheckFailed is the learner's; others are the grader's fault, or beyond a bundle's plan.

    written_in: the file of the check, for its author.
    """
    if isinstance(error, CheckFailed):
        return Ending("failed", _shortened(str(error)))
    if isinstance(error, MachineError):
        return Ending("machine", str(error))
    if isinstance(error, NotInPlan):
        return Ending("skipped", NOT_IN_PLAN)
    line = line_of(error, written_in) if written_in else 0
    where = f", {place(written_in, line)}" if written_in and line else ""
    return Ending("error", f"The grader failed at this check ({type(error).__name__}: {error}{where})")
