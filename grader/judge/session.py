"""A session: one submission at one exercise, from the first check to the diagnosis and the result."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from grader.mismatch import Mismatch
from grader.record import CheckResult, Diagnosis, ExerciseResult, Outcome, Status, inert
from grader.sandbox.levels import MachineError

from .answers import Exchange, Reading
from .bank import Mistake
from .checks import CHECK_ERRORS, Check, Kit, Role
from .diagnosis import CheckedExchanges, diagnose
from .expected import Expected
from .faults import CheckFailed, NotInPlan, line_of, place
from .learner import LearnerModule
from .plan import PlannedCheck
from .process import Answering, Process

MAX_MESSAGE = 2000

MAX_KEPT_BYTES = 4 * 1024 * 1024
"""Limit for the answers of one session kept for the diagnosis; a whole course's right answers take a tenth of it
each. Without a limit, one submission's answers could fill the judge's memory."""

NOT_IN_PLAN = "This can only be checked when you hand in."
UNCOUNTED = "Counts once the main check of this exercise passes."

EARLY: tuple[Role, ...] = ("main", "behaviour")
"""Roles of checks whose points count even when a main check fails."""


@dataclass(frozen=True)
class Ending:
    """How one check ended for one submission."""

    outcome: Outcome | Literal["machine"]
    message: str = ""


PASSED = Ending("passed")
SKIPPED = Ending("skipped")


def ending_of(error: BaseException, written_in: Path | None = None) -> Ending:
    """Classify an error: only CheckFailed is the learner's; others are the grader's fault, or not in a plan.

    written_in: the file of the check, for its author.
    """
    if isinstance(error, CheckFailed):  # it may quote text of any length from a learner's code
        text = inert(str(error))  # as the record will hold it: escaping makes it longer
        return Ending("failed", text if len(text) <= MAX_MESSAGE else text[:MAX_MESSAGE] + " ...")
    if isinstance(error, MachineError):
        return Ending("machine", str(error))
    if isinstance(error, NotInPlan):
        return Ending("skipped", NOT_IN_PLAN)
    line = line_of(error, written_in) if written_in else 0
    where = f", {place(written_in, line)}" if written_in and line else ""
    return Ending("error", f"The grader failed at this check ({type(error).__name__}: {error}{where})")


@dataclass
class Session:
    """What the checks of one exercise share while they run for one submission.

    `expect` works out what is expected, `open` makes the learner's process for a plan: both at the first need.
    `endings` has how each check ended that has run.
    """

    kit: Kit
    expect: Callable[[], Expected]
    open: Callable[[Expected], Process]
    endings: dict[str, Ending] = field(default_factory=dict)
    _learners: dict[str, LearnerModule] = field(default_factory=dict)
    _kept_bytes: int = 0

    @cached_property
    def expected(self) -> Expected:
        """What is expected. Raises GraderBroken when that cannot be worked out."""
        return self.expect()

    @cached_property
    def process(self) -> Process:
        """The learner's process."""
        return self.open(self.expected)

    def begin_again(self) -> None:
        """Drop all answers so far, and the process."""
        self.close()
        self.endings.clear()
        self._learners.clear()
        self._kept_bytes = 0

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
        name = check.name
        try:
            planned = self.planned(name)
            right = planned.right
            if right is None or self.process.replies(planned) != right:
                draw = self.expected.draw(name)
                learner = self._learners[name] = LearnerModule(
                    asked=Answering(planned, self.process),
                    expected=self.expected,
                    draw=draw,
                    source=self.process.text,
                    given=self.kit.stub,
                    forbidden_reason=self.process.reason,
                    is_visible=check.worth.visible,
                )
                check.run(learner, draw)
            self.endings[name] = PASSED
        except CHECK_ERRORS as error:
            self.endings[name] = ending_of(error, check.file)
            raise
        finally:
            self._limit_kept(name)

    def _limit_kept(self, check: str) -> None:
        """Drop a check's answers if they are far more than expected: then they match no known mistake either."""
        size = sum(answers.size for exchange in self.asked(check) for answers in exchange.answers)
        if self._kept_bytes + size > MAX_KEPT_BYTES:
            self._learners[check].exchanges.clear()
        else:
            self._kept_bytes += size

    def planned(self, check: str) -> PlannedCheck:
        """The plan of one check."""
        return self.expected.plan.checks[check]

    def asked(self, check: str) -> Sequence[Exchange | Reading]:
        """A check's questions and answers, with hidden inputs; empty if it was known to be right, or too large."""
        learner = self._learners.get(check)
        return learner.exchanges if learner is not None else ()

    def close(self) -> None:
        """End the learner's process."""
        if process := self.__dict__.pop("process", None):
            process.close()

    # --- what it came to --------------------------------------------------------------------------------------

    @property
    def is_broken(self) -> bool:
        """Whether the sandbox broke."""
        return any(ending.outcome == "machine" for ending in self.endings.values())

    def result(self, started: float) -> ExerciseResult:
        """The exercise's result; checks that have not run are skipped. started: when (time.perf_counter)."""
        endings = {check.name: self.endings.get(check.name, SKIPPED) for check in self.kit.checks}
        if _is_main_passed(self.kit, endings):  # otherwise the main checks' failures say enough
            for name, learner in self._learners.items():
                if learner.doubts and endings[name] == PASSED:
                    endings[name] = Ending("failed", learner.doubts[0])
        diagnosis = tuple(Diagnosis(mistake=each.id, message=each.message) for each in self.diagnosis())
        return _result(self.kit, endings, _status(self.kit, endings), diagnosis, time.perf_counter() - started)

    def diagnosis(self) -> list[Mistake]:
        """The known mistakes that explain the failures so far; none when the plan lacks something that this needs.

        An error here must not cost any points, nor end the batch.
        """
        if all(ending == PASSED for ending in self.endings.values()):
            return []
        try:
            checks = []
            for check in self.kit.checks:
                if check.name in self.endings:
                    passed, was_run = self.endings[check.name] == PASSED, check.name in self._learners
                    exchanges = self.asked(check.name) if was_run else self.planned(check.name).exchanges
                    checks.append(CheckedExchanges(check.name, passed, check.worth.role == "main", exchanges))
            return diagnose(checks, self.expected)
        except NotInPlan:
            return []
        except Exception as error:
            print(f"No diagnosis of {self.kit.exercise.id}: {type(error).__name__}: {error}", file=sys.stderr)
            return []

    def mismatches(self) -> dict[str, Mismatch]:
        """What can be seen of each visible check that failed, by its name. An error must not end the batch either."""
        from .shown import mismatch_of

        found: dict[str, Mismatch] = {}
        for name, learner in self._learners.items():
            if learner.is_visible and self.endings[name].outcome == "failed":
                try:
                    if (mismatch := mismatch_of(learner.exchanges, self.expected)) is not None:
                        found[name] = mismatch
                except NotInPlan:  # without the course's answers, when a check converses
                    pass
                except Exception as error:
                    print(f"Nothing to see of {self.kit.exercise.id}: {type(error).__name__}: {error}", file=sys.stderr)
        return found


# --- results ----------------------------------------------------------------------------------------------------------


def without_work(kit: Kit, status: Literal["missing", "not_started"]) -> ExerciseResult:
    """The result of an exercise in which there is nothing to check."""
    return _result(kit, {check.name: SKIPPED for check in kit.checks}, status, (), 0.0)


def _is_main_passed(kit: Kit, endings: Mapping[str, Ending]) -> bool:
    return all(endings[each.name].outcome == "passed" for each in kit.checks if each.worth.role == "main")


def _status(kit: Kit, endings: Mapping[str, Ending]) -> Status:
    if any(ending.outcome in ("error", "machine") for ending in endings.values()):
        return "error"
    behaviour = {endings[each.name].outcome for each in kit.checks if each.worth.role != "repair"}
    if not kit.checks or "failed" in behaviour:
        return "failed"
    return "partly" if SKIPPED.outcome in {ending.outcome for ending in endings.values()} else "passed"


def _result(
    kit: Kit, endings: Mapping[str, Ending], status: Status, diagnosis: tuple[Diagnosis, ...], seconds: float
) -> ExerciseResult:
    """The result of an exercise whose checks ended so. As long as only some of them could run, there are no points."""
    is_main_passed = _is_main_passed(kit, endings)
    is_known = all(ending.outcome != "skipped" for ending in endings.values())
    checks = []
    for each in kit.checks:
        ending, counts = endings[each.name], is_main_passed or each.worth.role in EARLY
        is_passed = is_known and ending.outcome == "passed"
        checks.append(
            CheckResult(
                name=each.name,
                title=each.worth.title,
                outcome="error" if ending.outcome == "machine" else ending.outcome,
                points=each.worth.points if is_passed and counts else 0.0,
                max_points=each.worth.points,
                visible=each.worth.visible,
                message=UNCOUNTED if is_passed and not counts else ending.message,
            )
        )
    return ExerciseResult(
        id=kit.exercise.id,
        status=status,
        points=round(math.fsum(check.points for check in checks), 6),
        max_points=kit.exercise.points,
        checks=tuple(checks),
        diagnosis=diagnosis,
        seconds=seconds,
    )
