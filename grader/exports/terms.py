"""What whoever exports can choose, and how a format hands over what it made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .columns import By
from .roster import Roster


@dataclass(frozen=True)
class ExportTerms:
    """The same for every format; each reads what it needs."""

    by: By = "learner"
    roster: Roster | None = None
    titles: Mapping[str, str] = field(default_factory=dict)
    """Each exercise's title by its id; ids stand for themselves where it is not known."""
    units: Sequence[tuple[str, Sequence[str]]] = ()
    """Each unit's title with its exercise ids."""
    bom: bool = True
    """Whether a table for a spreadsheet begins with a byte order mark."""
    say: Callable[[str], None] = print
    """Takes a sentence for whoever exports."""


@dataclass(frozen=True)
class File:
    """One file of an export."""

    name: str
    parts: Iterable[str]
    """Its text, in pieces."""
