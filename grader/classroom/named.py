"""Whose a row of a CSV is: the learner of the class whose id, login, email or name stands there, as in a roster."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from .learners import Learner
from .roster import EMAILS, IDS, NAMES, Enrolled, Matcher

LEARNERS = ("learner", "submission", *IDS, *EMAILS, *NAMES)
"""Titles of the column that says whose a row is."""


class _Row(Protocol):
    @property
    def learner(self) -> str:
        """The learner, as it is written in the row."""


Row = TypeVar("Row", bound=_Row)


def by_name(rows: Iterable[Row], learners: Sequence[Learner]) -> tuple[list[tuple[str, Row]], tuple[str, ...]]:
    """Each row under its learner's name in the results; and, once each, what names nobody of them, or two."""
    names = {learner.name for learner in learners}
    matcher = Matcher([Enrolled(each.name, each.shown, each.email, (each.name,)) for each in learners])
    found: list[tuple[str, Row]] = []
    unknown: dict[str, None] = {}
    for row in rows:
        learner = matcher.learner(row.learner)
        if row.learner in names:
            found.append((row.learner, row))
        elif learner is not None:
            found.append((learner.id, row))
        else:
            unknown[row.learner] = None
    return found, tuple(unknown)
