"""A session: one submission at one exercise, from the first check to the diagnosis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from grader.mismatch import Mismatch

from .answers import Exchange, Reading
from .diagnosis import CheckedExchanges, diagnose
from .draw import Draw
from .expected import Expected
from .faults import NotInPlan
from .learner import LearnerModule
from .mistakes import Mistake
from .plan import PlannedCheck
from .process import LocalProcess, WalledProcess
from .wrong_place import mismatch_of

MAX_KEPT_BYTES = 4 * 1024 * 1024
"""Limit for the answers of one session kept for the diagnosis; a whole course's right answers take a tenth of it
each. Without a limit, one submission's answers could fill the judge's memory."""

Process = WalledProcess | LocalProcess


@dataclass
class Session:
    """What the checks of one exercise share while they run for one submission.

    `start` starts the learner's process, which answers; `given` is the file that learners get.
    """

    start: Callable[[], Process]
    expected: Expected
    given: str
    checked: list[CheckedExchanges] = field(default_factory=list)
    _learners: dict[str, LearnerModule] = field(default_factory=dict)
    _kept_bytes: int = 0

    def __post_init__(self) -> None:
        self.process = self.start()

    def begin_again(self) -> None:
        """Drop all answers so far, and start a new process."""
        self.close()
        self.process = self.start()
        self.checked.clear()
        self._learners.clear()
        self._kept_bytes = 0

    def learner(self, check: str, draw: Draw, *, is_visible: bool) -> LearnerModule:
        """The object that one check talks to."""
        learner = LearnerModule(
            worker=self.process.answering(self.planned(check)),
            expected=self.expected,
            draw=draw,
            source=self.process.text,
            given=self.given,
            forbidden_reason=self.process.reason,
            is_visible=is_visible,
            questions=self.expected.questions(check),
        )
        self._learners[check] = learner
        return learner

    def planned(self, check: str) -> PlannedCheck | None:
        """The plan of one check; None where the course has no such check."""
        return self.expected.plan.checks.get(check)

    def answers_like_the_reference(self, check: str) -> bool:
        """Whether all planned questions of a check were answered exactly as by the reference, to the last bit.

        The judge computed these bytes itself, and the check passed with them: there is no need to run it.
        """
        planned = self.planned(check)
        return planned is not None and planned.right is not None and self.process.replies(planned) == planned.right

    def note(self, check: str, *, passed: bool, is_main: bool) -> None:
        """Store how a check ended, for the diagnosis."""
        if check in self._learners:
            exchanges = self._learners[check].exchanges
            size = sum(answers.size for exchange in exchanges for answers in exchange.answers)
            if self._kept_bytes + size > MAX_KEPT_BYTES:
                exchanges.clear()  # far more than any expected answer, so it matches no known mistake either
            else:
                self._kept_bytes += size
        else:
            planned = self.planned(check)
            exchanges = list(planned.exchanges) if planned else []
        self.checked.append(CheckedExchanges(check, passed, is_main, exchanges))

    def doubts(self) -> dict[str, str]:
        """The checks of something else in which an output was wrong, each with a sentence for the learner."""
        return {check: learner.doubts[0] for check, learner in self._learners.items() if learner.doubts}

    def mismatch(self, check: str) -> Mismatch | None:
        """The mismatch of a failed visible check; None for a hidden one."""
        learner = self._learners.get(check)
        if learner is not None and learner.is_visible:
            with suppress(NotInPlan):  # in a bundle, when the answers led to questions that right code is not asked
                return mismatch_of(learner.exchanges, self.expected)
        return None

    def asked(self, check: str) -> Sequence[Exchange | Reading]:
        """A check's questions and answers, with hidden inputs; empty if it was known to be right, or too large."""
        learner = self._learners.get(check)
        return learner.exchanges if learner is not None else ()

    def diagnosis(self) -> list[Mistake]:
        """The known mistakes that explain the failures so far; none when the plan lacks something that this needs."""
        try:
            return diagnose(self.checked, self.expected)
        except NotInPlan:
            return []

    def close(self) -> None:
        """End the learner's process."""
        self.process.close()
