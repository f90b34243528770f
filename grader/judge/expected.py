"""What is expected of one exercise with one seed: first the plan's answers, beyond them the course's own code.

A course without answers has no such code. There what is not in the plan raises NotInPlan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from .answers import Answers, Reading, same_answers
from .case import FreshQuestions, Question, Questions
from .draw import Draw
from .faults import NotInPlan
from .fingerprint import has_fingerprint
from .mistakes import Mistake
from .plan import AS_REFERENCE, DrawnBefore, KnownMistake, Plan, PlannedQuestions, Wrong
from .trusted import CourseCode


class GivesAnswers(Protocol):
    """A known mistake, as code or as stored prints of its answers."""

    def gives(self, came: Answers, question: Question, number: int) -> bool:
        """Whether a learner's answer to one case of a question is this mistake's answer."""
        ...

    def gives_reading(self, reading: Reading) -> bool:
        """Whether the reading from the learner's code is this mistake's reading too."""
        ...


@dataclass(frozen=True)
class Expected:
    """The plan, and the course's code where it is at hand. `fresh` draws a check's hidden inputs from the seed."""

    plan: Plan
    fresh: Callable[[str], Draw]
    code: CourseCode | None = None

    @property
    def is_plan(self) -> bool:
        """Whether there is only the plan, which answers no other questions and holds no readings."""
        return self.code is None

    def draw(self, check: str) -> Draw:
        """The hidden inputs of one check. Raises what the check raised on the reference, if it cannot be run."""
        planned = self.plan.checks.get(check)
        if planned is None or planned.converses:
            return self.fresh(check)
        if planned.broken is not None:
            raise planned.broken
        return DrawnBefore(planned)

    def questions(self, check: str) -> Questions:
        """The planned questions of one check; a check that converses makes its own."""
        planned = self.plan.checks.get(check)
        return FreshQuestions() if planned is None or planned.converses else PlannedQuestions(planned)

    def answers_to(self, question: Question) -> list[Answers]:
        """The reference's answers."""
        planned = self.plan.answers.get(question.digest)
        return self._code().reference.answer(question) if planned is None else planned

    def slack(self, question: Question) -> list[Answers]:
        """How far rounding alone may move each number of these answers, in the same structure."""
        planned = self.plan.wrong.slack.get(question.digest) if self.plan.wrong else None
        return self._code().slack(question, self.answers_to(question)) if planned is None else planned

    @cached_property
    def mistakes(self) -> Sequence[tuple[Mistake, GivesAnswers]]:
        """The known mistakes, ready to be compared with a learner's answers."""
        if self.code is not None:
            return self.code.mistakes
        wrong = self.plan.wrong or Wrong()
        return [(Mistake(each.id, each.message), _Printed(each, wrong, self)) for each in wrong.mistakes]

    def pair(self, one: int, other: int) -> GivesAnswers | None:
        """Two mistakes combined, by their places; None where their edits are incompatible, or there is only a plan."""
        return self.code.pair(one, other) if self.code is not None else None

    def _code(self) -> CourseCode:
        if self.code is None:
            raise NotInPlan("there is no answer here to what is asked")
        return self.code


@dataclass(frozen=True)
class _Printed:
    """A known mistake by the prints of its answers."""

    mistake: KnownMistake
    wrong: Wrong
    expected: Expected

    def gives(self, came: Answers, question: Question, number: int) -> bool:
        places = self.mistake.answers.get(question.digest)
        if places is None:
            raise NotInPlan("it is not known here what the known mistakes answer")
        if places[number] == AS_REFERENCE:
            return same_answers(came, self.expected.answers_to(question)[number])
        return has_fingerprint(came, self.wrong.prints[places[number]])

    def gives_reading(self, reading: Reading) -> bool:
        raise NotInPlan("it is not known here what is read from the known mistakes")
