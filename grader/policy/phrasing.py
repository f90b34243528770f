"""Adjustments in sentences, for learner and instructor alike."""

from __future__ import annotations

from datetime import datetime, timedelta

from grader.reports.wording import counted, score

from .hints import paid_hints
from .rules import Correction

DIGITS = 9
"""Points are rounded to so many digits after every sum, so that no noise of floats is left."""

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")  # fmt: skip
"""As `strftime` would have them only where the system speaks English."""


def moment(when: datetime) -> str:
    """A moment with its zone: 1 March 2026, 12:00 UTC."""
    zone = when.tzname() or ""
    seconds = f":{when.second:02d}" if when.second else ""
    clock = f"{when.hour:02d}:{when.minute:02d}{seconds}"
    return f"{when.day} {MONTHS[when.month - 1]} {when.year}, {clock} {f'UTC{zone}' if zone[:1] in '+-' else zone}"


def duration(length: timedelta) -> str:
    """A length of time by its two largest parts: 1 day and 3 hours. What is smaller is left out."""
    hours, rest = divmod(length.seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    parts = ((length.days, "day"), (hours, "hour"), (minutes, "minute"), (seconds, "second"))
    told = [counted(count, noun) for count, noun in parts]
    first = next((place for place, (count, _) in enumerate(parts) if count), None)
    if first is None:
        return "less than a second"
    second = [told[first + 1]] if first + 1 < len(parts) and parts[first + 1][0] else []
    return " and ".join([told[first], *second])


def for_hints(exercise: str, opened: int, cost: float, earned: float, taken: float) -> str:
    """Why points were taken off what was earned in an exercise, of which so many hints were opened at this cost."""
    paid = paid_hints(opened)
    most = ", but no more than was earned" if round(paid * cost, DIGITS) > earned else ""
    off = points(score(taken))
    rate = f"{counted(paid, 'paid hint')} after the free one, at {points(f'{cost:g}')} each{most}"
    return f"{exercise}: {rate}: {off} {'is' if off.startswith('1 ') else 'are'} taken off."


def for_correction(exercise: str, before: float, correction: Correction) -> str:
    """Why an exercise has other points than those that the policy leaves."""
    return f"{exercise}: set by hand from {score(before)} to {points(score(correction.points))}: {correction.reason}"


def points(number: str) -> str:
    """A number of points, as it is written, with its noun."""
    return f"{number} point" if number == "1" else f"{number} points"
