"""The rows of earlier runs: a submitter who hands in again keeps their row, even if names have changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from .entries import distinct


@dataclass(frozen=True)
class Rows:
    """The row of each submitter in the earlier run, by `Claim.submitter`.

    enrolled: the rows that were in the roster. may_move: the roster has changed, so it decides; whether a row moved is
    checked later.
    """

    of: Mapping[str, str] = field(default_factory=dict)
    enrolled: frozenset[str] = frozenset()
    may_move: bool = False

    @property
    def kept(self) -> Rows:
        """The rows that a submitter keeps when they hand in again."""
        if not self.may_move:
            return self
        return replace(self, of={submitter: row for submitter, row in self.of.items() if row not in self.enrolled})

    def row_of(self, submitter: str, now: str | None) -> str | None:
        """The earlier row of a submitter, if it overrides the current names; else None."""
        old = self.of.get(submitter)
        return None if old == now or (now is not None and self.may_move) else old

    def submitter_in(self, row: str) -> str:
        """The submitter of an earlier row; empty if unknown."""
        return next((submitter for submitter, name in self.of.items() if name == row), "")

    def names(self, enrolled: Sequence[str], now: Mapping[str, str]) -> list[str]:
        """Names for submitters who are not in the roster: the earlier one if they had one, else a name that nobody had.

        enrolled: the rows of the roster. now: each submitter's name by the current file names.
        """
        taken = list(dict.fromkeys([*enrolled, *self.of.values()]))
        new = [name for submitter, name in now.items() if submitter not in self.of]
        free = iter(distinct([*taken, *new])[len(taken) :])
        return [self.of[submitter] if submitter in self.of else next(free) for submitter in now]


NO_ROWS = Rows()
"""For a class that was not graded before."""
