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
from .checks import CHECK_ERRORS, Check, Kit, Role, Worth
from .diagnosis import CheckedExchanges, diagnose
from .draw import Draw
from .expected import Expected
from .faults import CheckFailed, NotInPlan, line_of, place
from .learner import LearnerModule
from .plan import PlannedCheck
from .process import LocalProcess, WalledProcess

MAX_MESSAGE = 2000

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
    if isinstance(error, CheckFailed):
        return Ending("failed", _shortened(str(error)))
    if isinstance(error, MachineError):
        return Ending("machine", str(error))
    if isinstance(error, NotInPlan):
        return Ending("skipped", NOT_IN_PLAN)
    line = line_of(error, written_in) if written_in else 0
    where = f", {place(written_in, line)}" if written_in and line else ""
    return Ending("error", f"The grader failed at this check ({type(error).__name__}: {error}{where})")


def _shortened(text: str) -> str:
    """Limit a message, which may quote text of any length from a learner's code."""
    text = inert(text)  # as the record will hold it: escaping makes it longer
    return text if len(text) <= MAX_MESSAGE else text[:MAX_MESSAGE] + " ..."


def without_work(kit: Kit, status: Literal["missing", "not_started"]) -> ExerciseResult:
    """The result of an exercise in which there is nothing to check."""
    return ExerciseResult(
        id=kit.exercise.id,
        status=status,
        points=0.0,
        max_points=kit.exercise.points,
        checks=tuple(_check(check, SKIPPED, counts=False) for check in kit.checks),
        diagnosis=(),
        seconds=0.0,
    )


def result_of(
    kit: Kit,
    endings: Mapping[str, Ending],
    doubts: Mapping[str, str],
    diagnosis: Sequence[Diagnosis],
    seconds: float,
) -> ExerciseResult:
    """The result of an exercise.

    endings: of each check, by name. doubts: a sentence for each check of something else in which an output was wrong.
    """
    if _is_main_passed(kit, endings):  # otherwise the main checks' failures say enough
        doubted = {name: Ending("failed", doubts[name]) for name in doubts if endings[name].outcome == "passed"}
        endings = {**endings, **doubted}
    is_main_passed = _is_main_passed(kit, endings)
    # no points as long as only some of the checks could run
    is_known = all(ending.outcome != "skipped" for ending in endings.values())
    checks = tuple(
        _check(each, endings[each.name], is_known=is_known, counts=is_main_passed or each.worth.role in EARLY)
        for each in kit.checks
    )
    return ExerciseResult(
        id=kit.exercise.id,
        status=_status(kit, endings, is_known=is_known),
        points=round(math.fsum(check.points for check in checks), 6),
        max_points=kit.exercise.points,
        checks=checks,
        diagnosis=tuple(diagnosis),
        seconds=seconds,
    )


def _is_main_passed(kit: Kit, endings: Mapping[str, Ending]) -> bool:
    return all(endings[each.name].outcome == "passed" for each in kit.checks if each.worth.role == "main")


def _status(kit: Kit, endings: Mapping[str, Ending], *, is_known: bool) -> Status:
    if any(ending.outcome in ("error", "machine") for ending in endings.values()):
        return "error"
    behaviour = {endings[each.name].outcome for each in kit.checks if each.worth.role != "repair"}
    if not kit.checks or "failed" in behaviour:
        return "failed"
    return "passed" if is_known else "partly"


def _check(check: Check, ending: Ending, *, counts: bool, is_known: bool = True) -> CheckResult:
    worth: Worth = check.worth
    is_passed = ending.outcome == "passed"
    return CheckResult(
        name=check.name,
        title=worth.title,
        outcome="error" if ending.outcome == "machine" else ending.outcome,
        points=worth.points if is_passed and counts and is_known else 0.0,
        max_points=worth.points,
        visible=worth.visible,
        message=UNCOUNTED if is_passed and is_known and not counts else ending.message,
    )


# --- the session ------------------------------------------------------------------------------------------------------

MAX_KEPT_BYTES = 4 * 1024 * 1024
"""Limit for the answers of one session kept for the diagnosis; a whole course's right answers take a tenth of it
each. Without a limit, one submission's answers could fill the judge's memory."""

Process = WalledProcess | LocalProcess


@dataclass
class Session:
    """What the checks of one exercise share while they run for one submission.

    `expect` works out what is expected, `open` makes the learner's process for a plan: both at the first need.
    """

    kit: Kit
    expect: Callable[[], Expected]
    open: Callable[[Expected], Process]
    endings: dict[str, Ending] = field(default_factory=dict)
    checked: list[CheckedExchanges] = field(default_factory=list)
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

    def start(self) -> None:
        """Have the learner's code started; does not wait for it."""
        self.process.start()

    def begin_again(self) -> None:
        """Drop all answers so far, and the process."""
        self.close()
        for each in (self.checked, self._learners, self.endings):
            each.clear()
        self._kept_bytes = 0

    def run(self) -> None:
        """Run all checks; `endings` has how each ended."""
        for check in self.kit.checks:
            with suppress(*CHECK_ERRORS):
                self.ask(check)

    def ask(self, check: Check) -> None:
        """Run one check, unless its answers are already known to be right. Raises what the check raises."""
        try:
            if not self._answers_like_the_reference(check.name):
                draw = self.expected.draw(check.name)
                check.run(self._learner(check, draw), draw)
            self.endings[check.name] = PASSED
        except CHECK_ERRORS as error:
            self.endings[check.name] = ending_of(error, check.file)
            raise
        finally:
            self._note(check, passed=self.endings.get(check.name) == PASSED)

    @property
    def is_broken(self) -> bool:
        """Whether the sandbox broke."""
        return any(ending.outcome == "machine" for ending in self.endings.values())

    def _learner(self, check: Check, draw: Draw) -> LearnerModule:
        """The object that one check talks to."""
        learner = LearnerModule(
            worker=self.process.answering(self.planned(check.name)),
            expected=self.expected,
            draw=draw,
            source=self.process.text,
            given=self.kit.stub,
            forbidden_reason=self.process.reason,
            is_visible=check.worth.visible,
            questions=self.expected.questions(check.name),
        )
        self._learners[check.name] = learner
        return learner

    def planned(self, check: str) -> PlannedCheck | None:
        """The plan of one check; None where the course has no such check."""
        return self.expected.plan.checks.get(check)

    def _answers_like_the_reference(self, check: str) -> bool:
        """Whether all planned questions of a check were answered exactly as by the reference, to the last bit.

        The judge computed these bytes itself, and the check passed with them: there is no need to run it.
        """
        planned = self.planned(check)
        return planned is not None and planned.right is not None and self.process.replies(planned) == planned.right

    def _note(self, check: Check, *, passed: bool) -> None:
        """Store how a check ended, for the diagnosis."""
        if check.name in self._learners:
            exchanges = self._learners[check.name].exchanges
            size = sum(answers.size for exchange in exchanges for answers in exchange.answers)
            if self._kept_bytes + size > MAX_KEPT_BYTES:
                exchanges.clear()  # far more than any expected answer, so it matches no known mistake either
            else:
                self._kept_bytes += size
        else:
            planned = self.planned(check.name)
            exchanges = list(planned.exchanges) if planned else []
        self.checked.append(CheckedExchanges(check.name, passed, check.worth.role == "main", exchanges))

    def asked(self, check: str) -> Sequence[Exchange | Reading]:
        """A check's questions and answers, with hidden inputs; empty if it was known to be right, or too large."""
        learner = self._learners.get(check)
        return learner.exchanges if learner is not None else ()

    # --- what it came to --------------------------------------------------------------------------------------

    def result(self, started: float) -> ExerciseResult:
        """The exercise's result; checks that have not run are skipped. started: when (time.perf_counter)."""
        endings = {check.name: self.endings.get(check.name, SKIPPED) for check in self.kit.checks}
        doubts = {check: learner.doubts[0] for check, learner in self._learners.items() if learner.doubts}
        diagnosis = [Diagnosis(mistake=mistake.id, message=mistake.message) for mistake in self.diagnosis()]
        return result_of(self.kit, endings, doubts, diagnosis, time.perf_counter() - started)

    def diagnosis(self) -> list[Mistake]:
        """The known mistakes that explain the failures so far; none when the plan lacks something that this needs.

        An error here must not cost any points, nor end the batch.
        """
        try:
            return diagnose(self.checked, self.expected)
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

    def close(self) -> None:
        """End the learner's process."""
        if process := self.__dict__.pop("process", None):
            process.close()
