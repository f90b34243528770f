"""How late something was handed in, in started days, and how many percent of its points that costs.

A day of lateness ends at the time of day at which the work was due, as clocks there show it: a day on which clocks
change has 23 or 25 hours. Where a time can mean two instants, because clocks show it twice or skip it,
work is due at the later and handed in at the earlier: in doubt for the learner.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

MOST_DAYS = 10_000
"""More started days than these are not counted."""


@dataclass(frozen=True)
class LateTerms:
    """What being late costs: percent of the points per started day, at most so much, nothing within the grace."""

    percent_per_day: float
    percent_at_most: float
    grace: timedelta

    def percent(self, days: int) -> float:
        """What so many started days cost, in percent of the points."""
        return min(self.percent_per_day * days, self.percent_at_most, 100.0)


def latest(moment: datetime) -> datetime:
    """The instant of a moment with a zone, in UTC: the latest that it can mean."""
    return max(_instants(moment))


def earliest(moment: datetime) -> datetime:
    """The instant of a moment with a zone, in UTC: the earliest that it can mean."""
    return min(_instants(moment))


def _instants(moment: datetime) -> list[datetime]:
    return [moment.replace(fold=fold).astimezone(timezone.utc) for fold in (0, 1)]


def late_by(handed_in: datetime, due: datetime) -> timedelta:
    """The time that really passed from `due` to `handed_in`; nothing when that was in time."""
    return max(earliest(handed_in) - latest(due), timedelta(0))


def started_days(handed_in: datetime, due: datetime) -> int:
    """The days of lateness that have begun: 0 in time, 1 from the first moment after `due`."""
    late = late_by(handed_in, due)
    if not late:
        return 0
    day = max(min(late.days, MOST_DAYS) - 1, 0)  # clocks change by less than a day
    while day < MOST_DAYS and earliest(handed_in) > latest(due + timedelta(days=day)):
        day += 1
    return day
