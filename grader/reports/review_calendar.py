"""The coming days as a calendar: what comes back when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Generic, TypeVar

AHEAD = 30
"""Days that are shown, today among them."""

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

Item = TypeVar("Item")


@dataclass(frozen=True)
class Day(Generic[Item]):
    """One place of the calendar; one that is past or too far away is only there to fill its week."""

    date: date
    items: tuple[Item, ...]
    is_shown: bool
    is_today: bool


@dataclass(frozen=True)
class Calendar(Generic[Item]):
    """Whole weeks from Monday to Sunday, and what comes after them."""

    today: date
    weeks: tuple[tuple[Day[Item], ...], ...]
    later: tuple[tuple[date, Item], ...]

    @property
    def busy(self) -> tuple[Day[Item], ...]:
        """The days on which anything comes back."""
        return tuple(day for week in self.weeks for day in week if day.items)

    def said(self, day: date) -> str:
        """A day in words: "today", "tomorrow", "Monday 23 November"."""
        if (near := (day - self.today).days) < 2:
            return ("today", "tomorrow")[max(near, 0)]
        return f"{WEEKDAYS[day.weekday()]} {day.day} {day:%B}"


def calendar(today: date, due: Sequence[tuple[date, Item]]) -> Calendar[Item]:
    """The calendar of these; what was due before today stands at today."""
    by_day: dict[date, list[Item]] = {}
    last = today + timedelta(days=AHEAD - 1)
    for day, item in due:
        by_day.setdefault(max(day, today), []).append(item)
    start = today - timedelta(days=today.weekday())
    count = -(-((last - start).days + 1) // 7)
    weeks = tuple(
        tuple(_day(start + timedelta(days=7 * week + weekday), today, last, by_day) for weekday in range(7))
        for week in range(count)
    )
    later = tuple((day, item) for day, item in due if day > last)
    return Calendar(today, weeks, tuple(sorted(later, key=lambda pair: pair[0])))


def _day(day: date, today: date, last: date, by_day: Mapping[date, Sequence[Item]]) -> Day[Item]:
    is_shown = today <= day <= last
    return Day(day, tuple(by_day.get(day, ())) if is_shown else (), is_shown, day == today)
