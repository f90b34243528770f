"""Did code make a tensor that holds too many numbers? What comes back is only yes or no for each case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .case import OBSERVED, Case
from .learner import Learner
from .reading import Ask

STAYS_BELOW = "stays below"


def stay_below(learner: Learner, cases: Sequence[Case], limits: Sequence[int]) -> list[bool]:
    """For each case, whether every tensor that was made on the way held fewer numbers than its limit.

    How much fewer is nobody's business: a known mistake is recognised by these answers alone.
    """
    for case in cases:
        case.observed()

    def talk(ask: Ask) -> Mapping[str, Any]:
        largest = [answer[OBSERVED]["largest"] for answer in ask(*cases)]
        return {STAYS_BELOW: [held < limit for held, limit in zip(largest, limits, strict=True)]}

    return list(learner.read(talk)[STAYS_BELOW])
