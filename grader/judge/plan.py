"""The plan: what an exercise's checks ask with one seed and what is expected, worked out once, before grading.

What a check asks does not depend on what it is answered (`kata verify` holds it to that). So `rehearsal.py` runs each
check on the reference, and the plan keeps what it drew, what it asked and what the reference answered. A learner's code
is sent the plan's questions. A check that then runs draws the same numbers again, and its first question has the first
answer, its second the second. Only a check that trains a model has no plan: it converses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from grader.sandbox.inside import wire
from grader.sandbox.worker import Parts

from .answers import Answers, Exchange
from .case import Question
from .draw import Drawn

Print = dict[str, Any]
"""A fingerprint: plain data that can be written as JSON."""


@dataclass(frozen=True)
class PlannedQuestion:
    """A question of a check with the reference's answers; one that is not sent is for the reference alone."""

    question: Question
    answers: list[Answers]
    is_sent: bool

    @property
    def reply(self) -> list[dict[str, Any]]:
        """The reply with exactly these answers, as a worker gives it."""
        return [
            {"answers": {str(n): answers.values.get(name) for n, name in case.returned.items()}, "error": answers.error}
            for case, answers in zip(self.question.cases, self.answers, strict=True)
        ]

    @cached_property
    def packed(self) -> Parts:
        """The bytes of that reply."""
        return wire.parts_of(wire.pack(self.reply, wire.TRUSTED_BYTES))


@dataclass
class PlannedCheck:
    """One check as it ran on the reference.

    `passes`: with exactly these answers it passes, and it looks at nothing else.
    `converses`: it asks questions of its own; nothing of it is planned.
    `broken`: the error that ended it on the reference, if it cannot be run at all.
    """

    name: str
    is_visible: bool
    drawn: list[Drawn] = field(default_factory=list)
    questions: list[PlannedQuestion] = field(default_factory=list)
    passes: bool = False
    converses: bool = False
    broken: BaseException | None = None

    @property
    def exchanges(self) -> list[Exchange]:
        """What would have been asked and answered, had the reference been handed in."""
        return [Exchange(each.question, each.answers) for each in self.questions if each.is_sent]

    @property
    def asked(self) -> list[Question]:
        """The questions to the learner, in order."""
        return [each.question for each in self.questions if each.is_sent]

    @property
    def right(self) -> list[Parts] | None:
        """For each of them the bytes of a right reply; None if the check has to run all the same."""
        return [each.packed for each in self.questions if each.is_sent] if self.passes else None


AS_REFERENCE = -1
"""In place of a print: the mistake answers as the reference does."""


@dataclass
class KnownMistake:
    """A known mistake: its id, its message, and for each question's digest the place of each case's print."""

    id: str
    message: str
    answers: dict[bytes, list[int]] = field(default_factory=dict)


@dataclass
class Wrong:
    """What only wrong answers need, where the course's own answers are not at hand: slack and known mistakes."""

    slack: dict[bytes, list[Answers]] = field(default_factory=dict)
    mistakes: list[KnownMistake] = field(default_factory=list)
    prints: list[Print] = field(default_factory=list)


@dataclass(frozen=True)
class Plan:
    """The checks of one exercise with one seed."""

    checks: Mapping[str, PlannedCheck] = field(default_factory=dict)
    wrong: Wrong | None = None

    @property
    def rounds(self) -> list[list[PlannedCheck]]:
        """Visible checks, then hidden ones: an error message that shows numbers must not know a hidden input."""
        checks = [check for check in self.checks.values() if check.asked]
        rounds = [[check for check in checks if check.is_visible is visible] for visible in (True, False)]
        return [each for each in rounds if each]

    @property
    def questions(self) -> list[Question]:
        """All questions, in the order in which they are asked."""
        return [question for checks in self.rounds for check in checks for question in check.asked]

    @cached_property
    def answers(self) -> Mapping[bytes, list[Answers]]:
        """The reference's answers by the question's digest."""
        return {each.question.digest: each.answers for check in self.checks.values() for each in check.questions}
