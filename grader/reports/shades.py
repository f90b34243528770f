"""What every picture of an exhibit shares: how light or dark a number is, and how it is written in a small place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from grader.exhibits import Exhibit

BLUES = ("#f7fbff", "#e3eef9", "#cfe1f2", "#b5d4e9", "#93c4df", "#6bafd6", "#4a98c9", "#2e7ebc", "#1764ab", "#08478d")
"""Shades from pale to dark."""

LEVELS = len(BLUES)
WHITE_FROM = 8  # the level from which white is easier to read than black
GREY = "#6b6b6b"  # for what is no number; white is easy to read on it

MOST_DECIMALS = 4


@dataclass(frozen=True)
class Scale:
    """The numbers that stand for the palest and the darkest shade, the same for both sides."""

    low: float
    high: float

    @classmethod
    def of(cls, exhibit: Exhibit) -> Scale:
        """From the smallest number, or 0, to the largest, or 0."""
        finite = [0.0, *(number for number in _numbers(exhibit) if math.isfinite(number))]
        return cls(min(finite), max(finite))

    def level(self, number: float) -> int | None:
        """A shade from 0, the palest, to LEVELS - 1; None for what is no number."""
        if math.isnan(number):
            return None
        if number >= self.high:
            return LEVELS - 1
        if number <= self.low:
            return 0
        return min(int((number - self.low) / (self.high - self.low) * LEVELS), LEVELS - 1)


@dataclass(frozen=True)
class Wording:
    """How the numbers of an exhibit are written: short, yet so that wrong ones do not look right."""

    decimals: int
    is_tiny: bool = False

    @classmethod
    def of(cls, exhibit: Exhibit) -> Wording:
        """As few decimals as the numbers need."""
        finite = [abs(number) for number in _numbers(exhibit) if math.isfinite(number)]
        if all(number == int(number) for number in finite):
            return cls(0)
        if max(finite) < 0.01:
            return cls(0, is_tiny=True)
        for decimals in range(2, MOST_DECIMALS):
            if all(_fixed(came, decimals) != _fixed(due, decimals) for came, due in _wrong_pairs(exhibit)):
                return cls(decimals)
        return cls(MOST_DECIMALS)

    def write(self, number: float) -> str:
        """The number in at most nine characters; NaN and infinities as words."""
        if not math.isfinite(number):
            return str(number)
        if abs(number) >= 1000 or (self.is_tiny and number):
            return f"{number:.0e}"
        return _fixed(number, self.decimals)


def _fixed(number: float, decimals: int) -> str:
    text = f"{number:.{decimals}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def _numbers(exhibit: Exhibit) -> Iterator[float]:
    for plane in (exhibit.came, exhibit.due):
        for row in plane:
            yield from row


def _wrong_pairs(exhibit: Exhibit) -> Iterator[tuple[float, float]]:
    for row in zip(exhibit.came, exhibit.due, exhibit.wrong, strict=True):
        yield from ((came, due) for came, due, is_wrong in zip(*row, strict=True) if is_wrong)


def caption(exhibit: Exhibit) -> str:
    """What is shown, which axis runs where, and where it is wrong."""
    sides = ("rows", "columns")[-len(exhibit.axes) :] if exhibit.axes else ()
    axes = ", ".join(f"{side}: {name}" for side, name in zip(sides, exhibit.axes, strict=True) if name != side)
    return f"{exhibit.what}{f' ({axes})' if axes else ''}. {exhibit.note}"
