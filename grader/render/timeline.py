"""Attempts day by day: a table, and a chart of the points earned so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby

from .wording import share

HEIGHT = 150
TOPS = (10, 25, 50, 100)
"""Possible upper ends of the chart in percent: a beginner's first points should be visible."""


@dataclass(frozen=True)
class Moment:
    """One graded attempt at one exercise."""

    at: datetime
    exercise: str
    points: float
    is_passed: bool
    is_review: bool = False


@dataclass(frozen=True)
class DayRow:
    """One day's attempts, and the points of the whole course at its end."""

    day: date
    attempts: int
    passed: int
    reviews: int
    points: float


@dataclass(frozen=True)
class Timeline:
    """The days with attempts, and the day up to which the chart goes. top: the chart's upper end in percent."""

    days: tuple[DayRow, ...]
    max_points: float
    until: date
    height: int = HEIGHT

    @property
    def attempts(self) -> int:
        """The number of attempts in all."""
        return sum(row.attempts for row in self.days)

    @property
    def top(self) -> int:
        """The upper end of the chart, in percent of the course's points."""
        reached = 100 * share(self.days[-1].points, self.max_points)
        return next((top for top in TOPS if reached <= top), TOPS[-1])

    @property
    def ticks(self) -> tuple[date, ...]:
        """The first and the last day, and one in the middle if there is any."""
        first = self.days[0].day
        return tuple(dict.fromkeys((first, first + (self.until - first) // 2, self.until)))

    @property
    def bars(self) -> Iterator[tuple[DayRow, float, float, float]]:
        """Each day with its bar, which ends where the next begins: start and width in percent, y from the top."""
        first = self.days[0].day
        length = (self.until - first).days + 1
        starts = [100 * (row.day - first).days / length for row in self.days]
        for row, start, end in zip(self.days, starts, [*starts[1:], 100.0], strict=True):
            yield row, start, end - start, HEIGHT * (1 - 100 * share(row.points, self.max_points) / self.top)


def timeline(moments: Sequence[Moment], max_points: float, until: datetime) -> Timeline | None:
    """The days of these attempts; None when there are none."""
    ordered = sorted(moments, key=lambda moment: moment.at)
    best: dict[str, float] = {}
    days = []
    for day, group in groupby(ordered, key=lambda moment: moment.at.date()):
        tried = list(group)
        for each in tried:
            best[each.exercise] = max(each.points, best.get(each.exercise, 0.0))
        passed = [each for each in tried if each.is_passed]
        reviews = sum(each.is_review for each in passed)
        days.append(DayRow(day, len(tried), len(passed) - reviews, reviews, sum(best.values())))
    return Timeline(tuple(days), max_points, max(until.date(), days[-1].day)) if days else None
