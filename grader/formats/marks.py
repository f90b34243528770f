"""The data that all writers of marks get: learners, columns, and the points of each learner in each column.

A fault of the grader gives no mark, never a zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.record import ExerciseResult, Record


class ExportError(Exception):
    """The results cannot be exported as asked; the message is one sentence."""


def mark(record: Record) -> float | None:
    """The counted points of a whole submission; None if an exercise could not be graded."""
    return record.counted_points if record.complete else None


def exercise_mark(exercise: ExerciseResult) -> float | None:
    """The counted points of an exercise; None if it could not be graded or does not count for this learner."""
    return None if exercise.status == "error" or exercise.uncounted else exercise.counted_points


def ungraded_exercises(record: Record) -> list[str]:
    """The exercises of a record that could not be graded."""
    return [exercise.id for exercise in record.exercises if exercise.status == "error"]


Marks = Mapping[tuple[str, str], float | None]
"""Points by a learner's id and a column's name; None, or no entry, where there is no mark (yet)."""


class FormatError(Exception):
    """These marks cannot be written in this format; the message is one sentence."""


@dataclass(frozen=True)
class PlatformLearner:
    """A learner with marks. Only the id is always known."""

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    platform_id: str = ""
    """The learner's number on the learning platform."""
    login: str | None = None
    """The login there; empty if unknown, None if the id is the login."""

    @property
    def name(self) -> str:
        """The name for sorting, "Berg, Anna"; the id if there is no name."""
        return ", ".join(part for part in (self.last_name, self.first_name) if part) or self.id


@dataclass(frozen=True)
class Column:
    """One column of points."""

    name: str
    max_points: float
    platform_id: str = ""
    """The assignment's number on the learning platform, if known."""


def demand_different(names: Sequence[str], what: str) -> None:
    """Raise FormatError if a name occurs twice."""
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise FormatError(f"Two {what} are called {twice[0]!r}; the marks could not be told apart.")
