"""A session: one submission at one exercise, from the first check to the diagnosis."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

from grader.mismatch import Mismatch
from grader.record import Diagnosis, ExerciseResult

from .answers import Exchange, Reading
from .checks import Check, Kit
from .diagnosis import CheckedExchanges, diagnose
from .draw import Draw
from .expected import Expected
from .faults import NotInPlan
from .learner import LearnerModule
from .mistakes import Mistake
from .plan import PlannedCheck
from .points import CHECK_ERRORS
from .process import LocalProcess, WalledProcess
from .result import PASSED, SKIPPED, Ending, ending_of, result_of

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
        from .wrong_place import mismatch_of

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
