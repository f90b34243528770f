"""What opened hints cost: the first of an exercise is free, each further one may cost points."""

from __future__ import annotations

FREE_HINTS = 1
"""So many hints of every exercise cost nothing."""


def paid_hints(opened: int) -> int:
    """How many of so many opened hints of one exercise cost points."""
    return max(opened - FREE_HINTS, 0)
