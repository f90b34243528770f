"""Attempts day by day: a table, and a chart of the points earned so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from grader.render.wording import share

from .progress import AttemptEntry

HEIGHT = 150
TOPS = (10, 25, 50, 100)
"""Possible upper ends of the chart in percent: a beginner's first points should be visible."""


@dataclass(frozen=True)
class Day:
    """One day's attempts, and the points of the whole course at its end."""

    day: date
    attempts: int
    passed: int
    reviews: int
    points: float


@dataclass(frozen=True)
class Timeline:
    """The days with attempts, at least one, and the day up to which the chart goes."""

    days: tuple[Day, ...]
    max_points: float
    until: date
    height: int = HEIGHT

    @property
    def attempts(self) -> int:
        """The number of attempts in all."""
        return sum(each.attempts for each in self.days)

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
    def bars(self) -> Iterator[tuple[Day, float, float, float]]:
        """Each day with its bar, which ends where the next begins: start and width in percent, y from the top."""
        first = self.days[0].day
        length = (self.until - first).days + 1
        starts = [100 * (each.day - first).days / length for each in self.days]
        for each, start, end in zip(self.days, starts, [*starts[1:], 100.0], strict=True):
            yield each, start, end - start, HEIGHT * (1 - 100 * share(each.points, self.max_points) / self.top)


def timeline(attempts: Iterable[tuple[str, AttemptEntry]], max_points: float, until: date) -> Timeline | None:
    """The days of these attempts at exercises, by id, in local time; None when there are none."""
    ordered = sorted(attempts, key=lambda pair: pair[1].at)
    best: dict[str, float] = {}
    days = []
    for day, group in groupby(ordered, key=lambda pair: pair[1].at.date()):
        tried = list(group)
        for id, attempt in tried:
            best[id] = max(attempt.points, best.get(id, 0.0))
        passed = [attempt for _, attempt in tried if attempt.status == "passed"]
        reviews = sum(attempt.kind == "review" for attempt in passed)
        days.append(Day(day, len(tried), len(passed) - reviews, reviews, sum(best.values())))
    return Timeline(tuple(days), max_points, max(until, days[-1].day)) if days else None
