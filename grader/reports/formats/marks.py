"""What every writer of marks is given: learners, columns, and the points of each learner in each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Marks = Mapping[tuple[str, str], float | None]
"""Points by a learner's id and a column's name; None, or nothing, where there is no mark (yet)."""


class FormatError(Exception):
    """These marks cannot be written in this format; the text is one sentence."""


@dataclass(frozen=True)
class Learner:
    """Somebody with marks. Only the id is always known."""

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    platform_id: str = ""
    """The learner's number on the learning platform."""
    login: str | None = None
    """The login there, empty where it is not known; None where the id is it."""

    @property
    def name(self) -> str:
        """The name as lists are sorted by, "Berg, Anna"; the id when there is no name."""
        return ", ".join(part for part in (self.last_name, self.first_name) if part) or self.id


@dataclass(frozen=True)
class Column:
    """Something to get points for."""

    name: str
    max_points: float
    platform_id: str = ""
    """The number of the assignment on the learning platform, if it is known."""


def demand_different(names: Sequence[str], what: str) -> None:
    """Raise FormatError when a name comes twice."""
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise FormatError(f"Two {what} are called {twice[0]!r}; the marks could not be told apart.")
