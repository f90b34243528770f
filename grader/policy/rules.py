"""The policy's terms for each unit, and the facts about one learner's hand-in.

Lateness is counted in started days, each of which costs some percent of the points. A day of lateness ends at the time
of day at which the work was due, by local clocks: a day on which clocks change has 23 or 25 hours. If a local time is
ambiguous, because clocks show it twice or skip it, work is due at the later instant and handed in at the earlier one:
in the learner's favour.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import TypeVar

from grader.course import Course
from grader.course.moments import placed, read_moment, read_zone

Known = TypeVar("Known")
EVERY_UNIT = "*"
"""Stands for all units not listed by their folders."""


@dataclass(frozen=True)
class Correction:
    """Points for an exercise set by hand, and the reason."""

    points: float
    reason: str


@dataclass(frozen=True)
class HandIn:
    """What is known of one learner's hand-in.

    at: when it was, by unit. extra_days: how much later each unit is due, by unit. corrections: points that were set by
    hand, by exercise. exempt: exercises that do not count.
    """

    at: Mapping[str, datetime] = field(default_factory=dict)
    extra_days: Mapping[str, float] = field(default_factory=dict)
    corrections: Mapping[str, Correction] = field(default_factory=dict)
    exempt: tuple[str, ...] = ()


@dataclass(frozen=True)
class Deadline:
    """When a unit is due for one learner, and when it was due before an extension; equal without one."""

    due: datetime
    ordinary: datetime

    @property
    def is_extended(self) -> bool:
        """Whether this learner has an extension."""
        return latest(self.due) > latest(self.ordinary)


def changes_points(course: Course) -> bool:
    """Whether final points could differ from raw ones by what course.yml says."""
    policy = course.policy
    is_changed = policy.due or policy.exempt or policy.drop_lowest_units
    return bool(is_changed) or any(unit.extra_credit for unit in course.units)


def late_terms(course: Course) -> LateTerms:
    """The deductions for lateness in this course."""
    policy = course.policy
    return LateTerms(policy.late_percent_per_day, policy.late_percent_at_most, timedelta(minutes=policy.grace_minutes))


def deadlines(course: Course) -> dict[str, datetime]:
    """Due date of each unit, by folder; units without one are never late."""
    zone = read_zone(course.policy.time_zone) if course.policy.time_zone else None
    written = {folder: read_moment(text) for folder, text in course.policy.due.items()}
    found = {folder: placed(moment, zone) for folder, moment in written.items() if moment}
    return {folder: moment for folder, moment in found.items() if moment}


def deadline_for(unit: str, due: datetime, hand_in: HandIn) -> Deadline:
    """A unit's deadline for one learner, in the unit's time zone."""
    days = of_unit(unit, hand_in.extra_days)
    if not days:
        return Deadline(due, due)
    return Deadline((latest(due) + timedelta(days=days)).astimezone(due.tzinfo), due)


def of_unit(unit: str, known: Mapping[str, Known]) -> Known | None:
    """What is known of the unit, else what is known of all units."""
    return known.get(unit, known.get(EVERY_UNIT))


MOST_DAYS = 10_000
"""Counting started days stops here."""


@dataclass(frozen=True)
class LateTerms:
    """Deductions for lateness: percent of the points per started day, up to a maximum, none within the grace period."""

    percent_per_day: float
    percent_at_most: float
    grace: timedelta

    def percent(self, days: int) -> float:
        """The deduction for this many started days, in percent of the points."""
        return min(self.percent_per_day * days, self.percent_at_most, 100.0)


def latest(moment: datetime) -> datetime:
    """The latest UTC instant that a local time can mean."""
    return max(_instants(moment))


def earliest(moment: datetime) -> datetime:
    """The earliest UTC instant that a local time can mean."""
    return min(_instants(moment))


def _instants(moment: datetime) -> list[datetime]:
    return [moment.replace(fold=fold).astimezone(timezone.utc) for fold in (0, 1)]


def late_by(handed_in: datetime, due: datetime) -> timedelta:
    """The time elapsed from `due` to `handed_in`; zero if handed in on time."""
    return max(earliest(handed_in) - latest(due), timedelta(0))


def started_days(handed_in: datetime, due: datetime) -> int:
    """The number of started days of lateness: 0 on time, 1 from the first moment after `due`."""
    late = late_by(handed_in, due)
    if not late:
        return 0
    day = max(min(late.days, MOST_DAYS) - 1, 0)  # clocks change by less than a day
    while day < MOST_DAYS and earliest(handed_in) > latest(due + timedelta(days=day)):
        day += 1
    return day
