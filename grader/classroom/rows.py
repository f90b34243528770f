"""Which row of the results each submitter has, so that whoever hands in again keeps it, whatever names say by then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from .entries import distinct


@dataclass(frozen=True)
class Rows:
    """Which row each submitter had when the class was graded before, by what the platform tells them by.

    enrolled: the rows that were a roster's. may_move: whether there is another roster now, so that it decides; what it
    moves is looked at later.
    """

    of: Mapping[str, str] = field(default_factory=dict)
    enrolled: frozenset[str] = frozenset()
    may_move: bool = False

    @property
    def kept(self) -> Rows:
        """Those rows that whoever hands in again keeps."""
        if not self.may_move:
            return self
        return replace(self, of={submitter: row for submitter, row in self.of.items() if row not in self.enrolled})

    def row_of(self, submitter: str, now: str | None) -> str | None:
        """The row in which a submitter was, where that and not what the names say now decides; None where it does."""
        old = self.of.get(submitter)
        return None if old == now or (now is not None and self.may_move) else old

    def submitter_in(self, row: str) -> str:
        """Whose a row was; empty where that is not known."""
        return next((submitter for submitter, name in self.of.items() if name == row), "")

    def names(self, enrolled: Sequence[str], now: Mapping[str, str]) -> list[str]:
        """What they go by whom no roster names: as before; and nobody by what somebody else has been called.

        enrolled: the rows of the roster. now: what each submitter would be called by the names as they are.
        """
        taken = list(dict.fromkeys([*enrolled, *self.of.values()]))
        new = [name for submitter, name in now.items() if submitter not in self.of]
        free = iter(distinct([*taken, *new])[len(taken) :])
        return [self.of[submitter] if submitter in self.of else next(free) for submitter in now]


NO_ROWS = Rows()
"""Of a class that was not graded before."""
