"""Runs the checks of one exercise: on a submission, from start to result, and on the reference, which gives the plan.

Both are a session to the checks: they ask, and somebody answers.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from grader.course.stubs import same_as_stub
from grader.intake import Submission
from grader.record import CheckResult, Diagnosis, ExerciseResult, Mismatch, Outcome, Status, inert
from grader.sandbox.levels import MachineError
from grader.sandbox.worker import Budget

from .answers import Answers, Exchange
from .bank import Mistake
from .case import Case, Question
from .checks import CHECK_ERRORS, Check, Kit, Role
from .course_code import TrustedModule
from .diagnosis import CheckedExchanges, diagnose
from .faults import CheckFailed, NotInPlan, line_of, place
from .learner import LearnerModule
from .plan import Plan, PlannedCheck, read_plan
from .process import QUITTING, LocalProcess, Process, WalledProcess

if TYPE_CHECKING:
    from .grading import Judge

MAX_MESSAGE = 2000

MAX_KEPT_BYTES = 4 * 1024 * 1024
"""Limit for the answers of one session kept for the diagnosis; a whole course's right answers take a tenth of it
each. Without a limit, one submission's answers could fill the judge's memory. Of a talk only the reading is kept: a few
plain values, which the course's own code makes."""

NOT_IN_PLAN = "This can only be checked when you hand in."
UNCOUNTED = "Counts once the main check of this exercise passes."

EARLY: tuple[Role, ...] = ("main", "behaviour")
"""Roles of checks whose points count even when a main check fails."""


class Ending(NamedTuple):
    """How one check ended for one submission."""

    outcome: Outcome
    message: str = ""


PASSED = Ending("passed")
SKIPPED = Ending("skipped")


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
    line = line_of(error, written_in)
    where = f", {place(written_in, line)}" if line else ""
    return Ending("error", f"The grader failed at this check ({type(error).__name__}: {error}{where})")


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
        self.nothing: Literal["missing", "not_started"] | None = None
        if source is None and not refusals:
            self.nothing = "missing"
        elif source is not None and same_as_stub(source.content, kit.stub):
            self.nothing = "not_started"
        self._content, self._refusal = (source.content, "") if source else (b"", " ".join(refusals))
        self._judge, self._whole, self._path = judge, whole, path
        self.endings: dict[str, Ending] = {}
        self.is_broken = False
        self._learners: dict[str, LearnerModule] = {}

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
        for check in self.kit.checks:
            with suppress(*CHECK_ERRORS):
                self.ask(check)

    def ask(self, check: Check) -> None:
        """Run one check, unless its answers are already known to be right. Raises what the check raises.

        When all planned questions were answered exactly as by the reference, to the last bit, it need not run: the
        judge made these bytes itself, and the check passed with them.
        """
        try:
            planned = self.planned(check.name)
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
            raise
        finally:
            # far more than expected matches no known mistake either
            if check.name in self._learners and self.process.read_bytes > MAX_KEPT_BYTES:
                self._learners[check.name].exchanges.clear()

    def step(self, name: str) -> CheckFailed | None:
        """Run one check by itself, and return its failure, with the frames that raised it. Raises QUITTING."""
        try:
            self.ask(next(check for check in self.kit.checks if check.name == name))
        except QUITTING:
            raise
        except CHECK_ERRORS as error:
            return error if isinstance(error, CheckFailed) else None
        return None

    def planned(self, check: str) -> PlannedCheck:
        """The plan of one check."""
        return self.expected.checks[check]

    def asked(self, check: str) -> Sequence[Exchange]:
        """A check's questions and answers, with hidden inputs: the plan's if they were known to be right.

        Empty if there were none, or too large ones.
        """
        return (self._learners.get(check) or self.planned(check)).exchanges

    def close(self) -> None:
        """End the learner's process."""
        if process := self.__dict__.pop("process", None):
            process.close()

    # --- what it came to --------------------------------------------------------------------------------------

    def result(self, started: float) -> ExerciseResult:
        """The exercise's result; checks that have not run are skipped. started: when (time.perf_counter)."""
        endings = {check.name: self.endings.get(check.name, SKIPPED) for check in self.kit.checks}
        if _is_main_passed(self.kit, endings):  # otherwise the main checks' failures say enough
            for name, learner in self._learners.items():
                if learner.doubts and endings[name] == PASSED:
                    endings[name] = Ending("failed", learner.doubts[0])
        checks = tuple(_results(self.kit, endings))
        diagnosis = tuple(Diagnosis(mistake=each.id, message=each.message) for each in self.diagnosis())
        return ExerciseResult(
            id=self.kit.exercise.id,
            status=self.nothing or _status(self.kit, endings),
            points=round(math.fsum(check.points for check in checks), 6),
            max_points=self.kit.exercise.points,
            checks=checks,
            diagnosis=diagnosis,
            seconds=0.0 if self.nothing else time.perf_counter() - started,
        )

    def diagnosis(self) -> list[Mistake]:
        """The known mistakes that explain the failures so far; none when the plan lacks something that this needs."""
        ran = [check for check in self.kit.checks if check.name in self.endings]
        passed = [self.endings[check.name] == PASSED for check in ran]
        if not all(passed):
            with self._harmless("No diagnosis"):
                asked = [
                    CheckedExchanges(check.name, is_passed, check.role == "main", self.asked(check.name))
                    for check, is_passed in zip(ran, passed, strict=True)
                ]
                return diagnose(asked, self.expected)
        return []

    def mismatches(self) -> dict[str, Mismatch]:
        """What can be seen of each visible check that failed, by its name."""
        from .shown import mismatch_of

        found: dict[str, Mismatch] = {}
        for name, learner in self._learners.items():
            if learner.is_visible and self.endings[name].outcome == "failed":
                with self._harmless("Nothing to see"):
                    if (mismatch := mismatch_of(learner.exchanges, self.expected)) is not None:
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


def _status(kit: Kit, endings: Mapping[str, Ending]) -> Status:
    """What the worst ending comes to; a failed repair is none."""
    outcomes = {(endings[each.name].outcome, each.role) for each in kit.checks} - {("failed", "repair")}
    worst = {outcome for outcome, _ in outcomes}
    if "error" in worst:
        return "error"
    return "failed" if "failed" in worst else "partly" if "skipped" in worst else "passed"


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


# --- the plan ---------------------------------------------------------------------------------------------------------


def expected_of(kit: Kit, seed: int, by: Callable[[Question], list[Answers]] | None = None) -> Plan:
    """What is expected of an exercise with a seed: its checks are run on the reference, or the plan is read.

    by: answers in place of the reference, to see what a check asks of others.
    Raises GraderBroken for a file that is missing, damaged or of another seed.
    """
    if kit.code is None:
        return read_plan(kit, seed)
    plan = Plan(kit.exercise.id, seed, kit.code)
    checks = {check.name: _rehearsed(check, plan, kit.stub, by or plan.answers_to) for check in kit.checks}
    return replace(plan, checks=checks)


def asks_otherwise(plan: Plan, kit: Kit, seed: int, source: str) -> Iterator[tuple[str, int]]:
    """The checks that ask this code something that is not in the plan, and which question it is (from 1).

    A check may stop early, since an answer is wrong.
    """
    by = expected_of(kit, seed, TrustedModule(source, "a trial", remembers=True).answer)
    for name, planned in plan.checks.items():
        known, asked = ([ask.question.digest for ask in each.exchanges] for each in (planned, by.checks[name]))
        if other := [place for place, digest in enumerate(asked, 1) if digest not in known[place - 1 : place]]:
            yield name, other[0]


def _rehearsed(check: Check, expected: Plan, given: str, by: Callable[[Question], list[Answers]]) -> PlannedCheck:
    planned = PlannedCheck(check.name, check.visible)
    if check.converses:
        return planned

    def exchange(cases: Sequence[Case]) -> Exchange:
        question = Question.of([case.copied() for case in cases])  # a check may go on changing them
        planned.exchanges.append(Exchange(question, expected.answers_to(question)))
        return Exchange(question, by(question))

    draw = expected.draw(check.name)
    planned.drawn = draw.drawn
    learner = LearnerModule(exchange, expected, draw, source=given, given=given)
    try:
        check.run(learner, draw)
        has_error = any(answers.error is not None for each in planned.exchanges for answers in each.answers)
        planned.passes = bool(planned.exchanges) and not has_error and not learner.looked_at_source
    except CheckFailed:
        pass  # the reference fails its own check: that is reported when the check runs for a learner
    except CHECK_ERRORS as error:
        planned.broken = error
    return planned
