"""What a course's policy says of each unit, and what is known of one learner's hand-in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from grader.course import Course
from grader.course.moments import placed, read_moment, read_zone

from .lateness import LateTerms, latest

EVERY_UNIT = "*"
"""Stands for all units that are not named."""

Times = Mapping[str, datetime]
"""Moments with their zones, by a unit's folder or EVERY_UNIT."""


@dataclass(frozen=True)
class Correction:
    """Points for an exercise that a person has set, and why."""

    points: float
    reason: str


@dataclass(frozen=True)
class HandIn:
    """When one learner handed in, until when that was allowed, and opened hints by exercise, as far as it is known.

    corrections: points that were set by hand, by exercise.
    """

    at: Times = field(default_factory=dict)
    until: Times = field(default_factory=dict)
    hints: Mapping[str, int] = field(default_factory=dict)
    corrections: Mapping[str, Correction] = field(default_factory=dict)


@dataclass(frozen=True)
class Deadline:
    """When a unit is due for one learner, and when it was before an extension; the same where there is none."""

    due: datetime
    ordinary: datetime

    @property
    def is_extended(self) -> bool:
        """Whether this learner has more time than others."""
        return latest(self.due) > latest(self.ordinary)


def changes_points(course: Course) -> bool:
    """Whether final points could differ from raw ones: by due dates, by what hints cost, or by extra credit."""
    policy = course.policy
    return bool(policy.due) or policy.hints_cost_points > 0 or any(unit.extra_credit for unit in course.units)


def late_terms(course: Course) -> LateTerms:
    """What being late costs in this course."""
    policy = course.policy
    return LateTerms(policy.late_percent_per_day, policy.late_percent_at_most, timedelta(minutes=policy.grace_minutes))


def deadlines(course: Course) -> dict[str, datetime]:
    """When each unit is due, by its folder; units without a date are never late."""
    zone = read_zone(course.policy.time_zone) if course.policy.time_zone else None
    written = {folder: read_moment(text) for folder, text in course.policy.due.items()}
    found = {folder: placed(moment, zone) for folder, moment in written.items() if moment}
    return {folder: moment for folder, moment in found.items() if moment}


def deadline_for(unit: str, due: datetime, hand_in: HandIn) -> Deadline:
    """When a unit is due for one learner, in the unit's time zone: an extension gives more time, never less."""
    until = of_unit(unit, hand_in.until)
    if until is None or latest(until) <= latest(due):
        return Deadline(due, due)
    return Deadline(latest(until).astimezone(due.tzinfo), due)


def of_unit(unit: str, times: Times) -> datetime | None:
    """The unit's own time, else that of all units."""
    return times.get(unit, times.get(EVERY_UNIT))
