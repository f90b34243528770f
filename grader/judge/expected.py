"""Who knows what is expected of the checks of one exercise: the reference itself, or a plan that was written down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .answers import Answers, Reading
from .case import Question
from .draw import Draw
from .errors import GraderBroken
from .mistakes import Mistake


class NotInPlan(GraderBroken):
    """A check asks what nobody has written down the answer to; only the whole course can tell."""


class GivesAnswers(Protocol):
    """A known mistake, as code or as what is kept of its answers."""

    def gives(self, came: Answers, question: Question, number: int) -> bool:
        """Whether a learner's answer to one case of a question is this mistake's."""
        ...

    def gives_reading(self, reading: Reading) -> bool:
        """Whether what was read from a talk with the learner's code is read from this mistake too."""
        ...


class KnowsAnswers(Protocol):
    """Whoever knows what is expected."""

    @property
    def is_plan(self) -> bool:
        """Whether this is a plan, which answers only what was asked when it was made, and holds no readings."""
        ...

    def draw(self, seed: int, exercise: str, check: str) -> Draw:
        """The hidden inputs of one check."""
        ...

    def answers_to(self, question: Question) -> list[Answers]:
        """The reference's answers. A plan raises NotInPlan for a question that is not in it."""
        ...

    def slack(self, question: Question) -> list[Answers]:
        """How far rounding alone may move each number of them, in the same structure. Raises as `answers_to` does."""
        ...

    @property
    def mistakes(self) -> Sequence[tuple[Mistake, GivesAnswers]]:
        """The known mistakes, ready to be held against a learner's answers."""
        ...

    def pair(self, one: int, other: int) -> GivesAnswers | None:
        """Two of them at once, by their places; nothing where they don't go together, or a plan knows no pairs."""
        ...
