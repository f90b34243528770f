"""Interfaces to the expected answers of one exercise: from the reference itself, or from a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .answers import Answers, Reading
from .case import Question
from .draw import Draw
from .faults import GraderBroken
from .mistakes import Mistake


class NotInPlan(GraderBroken):
    """A check asks a question whose answer is not in the plan; only the whole course can answer it."""


class GivesAnswers(Protocol):
    """A known mistake, as code or as stored answers."""

    def gives(self, came: Answers, question: Question, number: int) -> bool:
        """Whether a learner's answer to one case of a question is this mistake's answer."""
        ...

    def gives_reading(self, reading: Reading) -> bool:
        """Whether the reading from the learner's code is this mistake's reading too."""
        ...


class KnowsAnswers(Protocol):
    """Knows what is expected: the reference or a plan."""

    @property
    def is_plan(self) -> bool:
        """Whether this is a plan, which answers only the questions asked when it was made, and holds no readings."""
        ...

    def draw(self, seed: int, exercise: str, check: str) -> Draw:
        """The hidden inputs of one check."""
        ...

    def answers_to(self, question: Question) -> list[Answers]:
        """The reference's answers. A plan raises NotInPlan for a question that is not in it."""
        ...

    def slack(self, question: Question) -> list[Answers]:
        """How far rounding alone may move each number of the answers, in the same structure. Raises as `answers_to`."""
        ...

    @property
    def mistakes(self) -> Sequence[tuple[Mistake, GivesAnswers]]:
        """The known mistakes, ready to be compared with a learner's answers."""
        ...

    def pair(self, one: int, other: int) -> GivesAnswers | None:
        """Two mistakes combined, by their places; None where their edits are incompatible, or in a plan."""
        ...
