"""One submission's go at one exercise, from the first check to the diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from grader.exhibits import Exhibit

from .attempt import Attempt, LocalAttempt
from .diagnosis import CheckedExchanges, diagnose
from .draw import Draw
from .exhibit import exhibit_of
from .learner import Learner
from .mistakes import Mistake
from .recorded import Due, NotRecorded
from .trusted import Expected

MOST_KEPT_BYTES = 4 * 1024 * 1024
"""Of the answers of one sitting, for the diagnosis; those of a whole course's right answers take a tenth of it in each.
Kept without a bound, one submission's answers could fill the judge's memory."""


@dataclass
class Sitting:
    """Everything the checks of one exercise share while they look at one submission."""

    attempt: Attempt | LocalAttempt
    expected: Due
    seed: int
    given: str
    checked: list[CheckedExchanges] = field(default_factory=list)
    _learners: dict[str, Learner] = field(default_factory=dict)
    _kept_bytes: int = 0

    def learner(self, check: str, draw: Draw, *, is_visible: bool) -> Learner:
        """The object that one check talks to."""
        learner = Learner(
            worker=self.attempt,
            expected=self.expected,
            draw=draw,
            source=self.attempt.text,
            given=self.given,
            forbidden_reason=self.attempt.reason,
            is_visible=is_visible,
        )
        self._learners[check] = learner
        return learner

    def draw(self, check: str) -> Draw:
        """The hidden inputs of one check."""
        return self.expected.draw(self.seed, self.attempt.exercise.id, check)

    def note(self, check: str, *, passed: bool, is_main: bool) -> None:
        """Remember how a check ended, for the diagnosis."""
        exchanges = self._learners[check].exchanges if check in self._learners else []
        size = sum(answers.size for exchange in exchanges for answers in exchange.answers)
        if self._kept_bytes + size > MOST_KEPT_BYTES:
            exchanges.clear()  # far more than anything that was due, so no known mistake either
        else:
            self._kept_bytes += size
        self.checked.append(CheckedExchanges(check, passed, is_main, exchanges))

    def doubts(self) -> dict[str, str]:
        """The checks that saw a wrong output while they looked at something else, with a sentence for the learner."""
        return {check: learner.doubts[0] for check, learner in self._learners.items() if learner.doubts}

    def exhibit(self, check: str) -> Exhibit | None:
        """What there is to see of a check that failed; of a hidden one, nothing."""
        learner = self._learners.get(check)
        if learner is not None and learner.is_visible:
            with suppress(NotRecorded):  # in a bundle, when odd code was asked something that right code is not
                return exhibit_of(learner.exchanges, self.expected)
        return None

    def diagnosis(self) -> list[Mistake]:
        """The known mistakes that explain what failed so far; a bundle knows none."""
        return diagnose(self.checked, self.expected) if isinstance(self.expected, Expected) else []

    @property
    def looked_at_source(self) -> bool:
        """Whether a check looked at more than answers."""
        return any(learner.looked_at_source for learner in self._learners.values())

    def begin_again(self, attempt: Attempt) -> None:
        """Forget all that was heard so far, and listen to this attempt instead."""
        self.close()
        self.attempt = attempt
        self.checked.clear()
        self._learners.clear()
        self._kept_bytes = 0

    def close(self) -> None:
        """End the learner's process."""
        self.attempt.close()


def titles(mistakes: Sequence[Mistake]) -> str:
    """The diagnoses as lines for a learner."""
    return "\n".join(f"This looks like: {mistake.message}" for mistake in mistakes)
