"""What the judge makes of answers whose numbers are the learner's own, as those of a model with other parts.

A check then asks for raw numbers, compares them with each other and with what only the judge knows, and keeps what came
of it: a few plain values. By these, not by the numbers, a known mistake is recognised: it is asked in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .answers import Answers, error_identity
from .case import Case, Question


class Ask(Protocol):
    """Puts one question; raises Ended when the code that is asked ends with an error."""

    def __call__(self, *cases: Case) -> list[Answers]:
        """The answers, one a case."""
        ...


Talk = Callable[[Ask], Mapping[str, Any]]
"""Asks, perhaps more than once, a later question depending on earlier answers, and returns what it reads from them:
plain values, the same for the same answers. It draws nothing, as it is run again for every known mistake."""


class Ended(Exception):
    """The code that was asked ended with an error."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(error["kind"])
        self.error = error

    def reading(self) -> dict[str, Any]:
        """What is read from it."""
        return {"error": error_identity(self.error)}


@dataclass(frozen=True)
class Reading:
    """A talk with the learner's code and what was read from it. No answers are kept."""

    talk: Talk
    came: Mapping[str, Any]
    effort: int
    answers: tuple[Answers, ...] = ()


def read_from(talk: Talk, answer: Callable[[Question], list[Answers]]) -> Mapping[str, Any]:
    """What a talk reads from code of the course's own."""

    def ask(*cases: Case) -> list[Answers]:
        answers = answer(Question.of(cases))
        for each in answers:
            if each.error is not None:
                raise Ended(each.error)
        return answers

    try:
        return talk(ask)
    except Ended as ended:
        return ended.reading()
