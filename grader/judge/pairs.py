"""Two known mistakes at once: which two give all that the learner's code gave?

Tried only where no single one does. Ruled out first is who changes nothing that is wrong, or something that is right;
then both are made into one file, as far as their edits go together, and asked as any mistake is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

from .expected import GivesAnswers, KnowsAnswers
from .mistakes import Mistake

MOST_PAIRS = 1000
"""So many are tried, those first that stand first in the bank: a fraction of a second."""
MOST_PROBES = 6
MOST_FURTHER_CASES = 24
"""Looked at for what shows in few of them: one of float64, say."""
MOST_EFFORT_OF_A_CASE = 500
"""In steps. Where more is asked (a model is trained), pairs are not tried."""


class Probe(Protocol):
    """One case that the learner's code was asked."""

    @property
    def is_wrong(self) -> bool: ...

    @property
    def is_error(self) -> bool: ...

    def effort(self) -> int: ...

    def is_given_by(self, module: GivesAnswers) -> bool: ...

    def is_right_with(self, module: GivesAnswers, expected: KnowsAnswers) -> bool:
        """Whether a known mistake is right in this case."""
        ...


@dataclass(frozen=True)
class _Suspect:
    place: int
    mistake: Mistake
    changed: int
    """The wrong probes that this mistake changes, a bit each."""


def two_mistakes(expected: KnowsAnswers, checks: Sequence[Sequence[Probe]]) -> list[Mistake]:
    """The two mistakes that together explain every case of these checks; of several pairs what all of them share."""
    cases = sorted((case for check in checks for case in check), key=lambda case: case.effort())
    wrong = [_cheapest(check, lambda case: case.is_wrong and not case.is_error) for check in checks]
    probes = [case for case in wrong if case is not None][:MOST_PROBES]
    if expected.is_plan or not probes or cases[-1].effort() > MOST_EFFORT_OF_A_CASE:
        return []
    right = [case for case in cases if not case.is_wrong][:MOST_PROBES]
    chosen = {id(case) for case in probes}
    further = [case for case in cases if case.is_wrong and id(case) not in chosen][:MOST_FURTHER_CASES]
    suspects = _suspects(expected, probes, further, right)
    everything = (1 << len(probes)) - 1
    pairs = [(one, other) for one, other in combinations(suspects, 2) if one.changed | other.changed == everything]
    pairs.sort(key=lambda pair: pair[0].place + pair[1].place)
    found = []
    for one, other in pairs[:MOST_PAIRS]:
        module = expected.pair(one.place, other.place)
        if module is not None and all(case.is_given_by(module) for case in [*probes, *cases]):
            found.append((one.mistake, other.mistake))
    return [mistake for mistake in found[0] if all(mistake in pair for pair in found)] if found else []


def _cheapest(check: Sequence[Probe], fits: Callable[[Probe], bool]) -> Probe | None:
    return min((case for case in check if fits(case)), key=lambda case: case.effort(), default=None)


def _suspects(
    expected: KnowsAnswers, probes: Sequence[Probe], further: Sequence[Probe], right: Sequence[Probe]
) -> list[_Suspect]:
    found = []
    for place, (mistake, module) in enumerate(expected.mistakes):
        if mistake.source or mistake.same_as:
            continue
        changed = sum(1 << bit for bit, case in enumerate(probes) if not case.is_right_with(module, expected))
        shows = changed or any(not case.is_right_with(module, expected) for case in further)
        if shows and all(case.is_right_with(module, expected) for case in right):
            found.append(_Suspect(place, mistake, changed))
    return found
