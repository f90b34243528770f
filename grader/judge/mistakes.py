"""The bank of wrong answers that people really give. It proves the checks, and it tells learners what they did."""

from __future__ import annotations

import runpy
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .errors import BankError


@dataclass(frozen=True)
class Mistake:
    """One wrong answer, as an edit of the reference solution or as a whole file of its own.

    `edits`: (text of the reference, what stands there instead) pairs; each text must occur exactly once, unless
    `everywhere`. `message`: what the learner probably did and what to look at. `caught_by`: the check that must fail.
    `same_as`: another mistake that gives the same numbers on every legal input, so that either name is right.
    """

    id: str
    message: str
    caught_by: str
    edits: Sequence[tuple[str, str]] = ()
    source: str = ""
    same_as: str = ""
    everywhere: bool = False

    def source_from(self, reference: str) -> str:
        """The wrong answer as a file. Raises BankError when an edit does not fit the reference."""
        if self.source:
            return self.source
        text = reference
        for old, new in self.edits:
            count = text.count(old)
            if count == 0 or (count > 1 and not self.everywhere):
                raise BankError(f"mistake {self.id!r}: {old!r} occurs {count} times in the reference")
            text = text.replace(old, new)
        if text == reference:
            raise BankError(f"mistake {self.id!r} changes nothing")
        return text


def load_bank(path: Path) -> tuple[Mistake, ...]:
    """Read MISTAKES from an exercise's bank (trusted, part of the course). Raises BankError when there is none."""
    if not path.is_file():
        raise BankError(f"{path.name}: there is no bank of mistakes")
    mistakes = runpy.run_path(str(path)).get("MISTAKES")
    if not isinstance(mistakes, list) or not all(isinstance(mistake, Mistake) for mistake in mistakes):
        raise BankError(f"{path.name}: MISTAKES must be a list of Mistake")
    ids = [mistake.id for mistake in mistakes]
    repeated = {name for name in ids if ids.count(name) > 1}
    if repeated:
        raise BankError(f"{path.name}: the ids {sorted(repeated)} occur twice")
    return tuple(mistakes)
