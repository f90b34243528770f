"""One submission's go at one exercise, from the first check to the diagnosis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from grader.mismatch import Mismatch

from .answers import Reading
from .case import FreshQuestions
from .diagnosis import CheckedExchanges, diagnose
from .draw import Draw
from .expected import KnowsAnswers, NotInPlan
from .learner import Exchange, LearnerModule
from .mismatch import mismatch_of
from .mistakes import Mistake
from .plan import Plan
from .process import LocalProcess, WalledProcess

MOST_KEPT_BYTES = 4 * 1024 * 1024
"""Of the answers of one session, for the diagnosis; those of a whole course's right answers take a tenth of it in each.
Kept without a bound, one submission's answers could fill the judge's memory."""

Process = WalledProcess | LocalProcess


@dataclass
class Session:
    """Everything the checks of one exercise share while they look at one submission.

    `start` makes the learner's process, which answers; `given` is the file that learners get.
    """

    start: Callable[[], Process]
    expected: KnowsAnswers
    seed: int
    given: str
    plan: Plan = field(default_factory=Plan)
    checked: list[CheckedExchanges] = field(default_factory=list)
    _learners: dict[str, LearnerModule] = field(default_factory=dict)
    _kept_bytes: int = 0

    def __post_init__(self) -> None:
        self.process = self.start()

    def begin_again(self) -> None:
        """Forget all that was answered so far, and ask a new process."""
        self.close()
        self.process = self.start()
        self.checked.clear()
        self._learners.clear()
        self._kept_bytes = 0

    def learner(self, check: str, draw: Draw, *, is_visible: bool) -> LearnerModule:
        """The object that one check talks to."""
        planned = self.plan.checks.get(check)
        learner = LearnerModule(
            worker=self.process,
            expected=self.expected,
            draw=draw,
            source=self.process.text,
            given=self.given,
            forbidden_reason=self.process.reason,
            is_visible=is_visible,
            questions=planned.questions() if planned else FreshQuestions(),
        )
        self._learners[check] = learner
        return learner

    def draw(self, check: str) -> Draw:
        """The hidden inputs of one check."""
        fresh = partial(self.expected.draw, self.seed, self.process.exercise.id, check)
        planned = self.plan.checks.get(check)
        return planned.draw(fresh) if planned else fresh()

    def answers_like_the_reference(self, check: str) -> bool:
        """Whether all that was planned to be asked in a check was answered as the reference does, to the last bit.

        The judge worked these bytes out itself, and the check passed with them: there is nothing to run it for.
        """
        planned = self.plan.checks.get(check)
        if planned is None or planned.right is None or self.process.answered(planned.asked) != planned.right:
            return False
        self.process.pass_over(planned.asked)
        return True

    def note(self, check: str, *, passed: bool, is_main: bool) -> None:
        """Remember how a check ended, for the diagnosis."""
        if check in self._learners:
            exchanges = self._learners[check].exchanges
            size = sum(answers.size for exchange in exchanges for answers in exchange.answers)
            if self._kept_bytes + size > MOST_KEPT_BYTES:
                exchanges.clear()  # far more than anything that was expected, so no known mistake either
            else:
                self._kept_bytes += size
        else:
            planned = self.plan.checks.get(check)
            exchanges = planned.exchanges if planned else []
        self.checked.append(CheckedExchanges(check, passed, is_main, exchanges))

    def doubts(self) -> dict[str, str]:
        """The checks that saw a wrong output while they looked at something else, with a sentence for the learner."""
        return {check: learner.doubts[0] for check, learner in self._learners.items() if learner.doubts}

    def mismatch(self, check: str) -> Mismatch | None:
        """What there is to see of a check that failed; of a hidden one, nothing."""
        learner = self._learners.get(check)
        if learner is not None and learner.is_visible:
            with suppress(NotInPlan):  # in a bundle, when odd code was asked something that right code is not
                return mismatch_of(learner.exchanges, self.expected)
        return None

    def asked(self, check: str) -> Sequence[Exchange | Reading]:
        """What a check has asked and got, hidden inputs too; nothing of one that was known to be right, or too much."""
        learner = self._learners.get(check)
        return learner.exchanges if learner is not None else ()

    def diagnosis(self) -> list[Mistake]:
        """The known mistakes that explain what failed so far; none when a plan does not hold all that this takes."""
        try:
            return diagnose(self.checked, self.expected)
        except NotInPlan:
            return []

    def close(self) -> None:
        """End the learner's process."""
        self.process.close()


def titles(mistakes: Sequence[Mistake]) -> str:
    """The diagnoses as lines for a learner."""
    return "\n".join(f"Probably: {mistake.message}" for mistake in mistakes)
