"""Final points: a pure function of a graded record, of what is known of its learner, and of course.yml's policy.

First lateness takes its percentage off, exercise by exercise. What is taken off is rounded to hundredths, half a
hundredth up, here and nowhere else; what was earned is never rounded. So nobody ends above the graded points or below
0, and being later never helps. Then points that a person set by hand count instead. Last, what does not count is left
out, of the points and of the maximum, so that other points keep their value: exercises that are exempt or that the
course no longer has, and the lowest units.

Lateness is counted in started days. A day of lateness ends at the time of day at which the work was due, by local
clocks: a day on which clocks change has 23 or 25 hours. If a local time is ambiguous, because clocks show it twice or
skip it, work is due at the later instant and handed in at the earlier one: in the learner's favour.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal
from itertools import count

from grader.course import Course, Unit
from grader.course.model import placed
from grader.record import Adjustment, AdjustmentKind, ExerciseResult, Record, totals
from grader.render.wording import counted, score

EVERY_UNIT = "*"
"""Stands for all units not listed by their folders."""
DIGITS = 9
"""Points are rounded to this many digits after every sum, to remove floating-point noise."""
_HUNDREDTH = Decimal("0.01")


@dataclass(frozen=True)
class Override:
    """Points for an exercise set by hand, and the reason."""

    points: float
    reason: str


@dataclass(frozen=True)
class HandIn:
    """What is known of one learner's hand-in.

    at: when it was, by unit; not a local time that can mean two. extra_days: how much later each unit is due, by unit.
    overrides: points that were set by hand, by exercise. exempt: exercises that do not count.
    """

    at: Mapping[str, datetime] = field(default_factory=dict)
    extra_days: Mapping[str, float] = field(default_factory=dict)
    overrides: Mapping[str, Override] = field(default_factory=dict)
    exempt: tuple[str, ...] = ()


def adjusted(record: Record, course: Course, hand_in: HandIn) -> Record:
    """The graded record with final points and the reasons for them; as it is where no policy is and nothing changes."""
    final, policy = _Final(record), course.policy
    for unit in course.units:
        _count_on_top(final, unit)
        _take_off_for_lateness(final, unit, course, hand_in)
        _set_by_hand(final, unit, hand_in)
    _leave_out(final, course, hand_in)
    _leave_out_lowest(final, course)
    if not (final.adjustments or policy.due or policy.exempt or policy.drop_lowest_units):
        return record
    exercises = tuple(final.results.values())
    changed = {**totals(exercises), "exercises": exercises, "adjustments": tuple(final.adjustments)}
    return Record(**{**dict(record), **changed})


class _Final:
    """What counts by now, and why; each step of the policy changes what those before it have left."""

    def __init__(self, record: Record) -> None:
        self.results = {
            each.id: each.model_copy(update={"final_points": each.points, "final_max_points": each.max_points})
            for each in record.exercises
        }
        self.adjustments: list[Adjustment] = []

    def of(self, unit: Unit) -> list[ExerciseResult]:
        """The results of a unit's exercises."""
        return [self.results[each.id] for each in unit.exercises if each.id in self.results]

    def change(self, unit: str, kind: AdjustmentKind, reason: str, new: Mapping[str, tuple[float, float]]) -> None:
        """Have other points and another maximum count, by exercise. unit: the folder."""
        added = _sum(points - self.results[id].counted_points for id, (points, _) in new.items())
        self.adjustments.append(Adjustment(unit=unit, points=added, kind=kind, reason=reason))
        for id, (points, most) in new.items():
            final = {"final_points": points, "final_max_points": most, "uncounted": kind == "not counted"}
            self.results[id] = self.results[id].model_copy(update=final)


# --- the steps of the policy ------------------------------------------------------------------------------------------


def _count_on_top(final: _Final, unit: Unit) -> None:
    """Extra credit is out of no maximum."""
    there = final.of(unit)
    if there and unit.extra_credit:
        worth = score(_sum(each.max_points for each in there))
        reason = f"{unit.title} is extra credit: its points count on top, and its {worth} are not in the maximum."
        final.change(unit.folder, "extra credit", reason, {each.id: (each.counted_points, 0.0) for each in there})


def _take_off_for_lateness(final: _Final, unit: Unit, course: Course, hand_in: HandIn) -> None:
    percent, reason = _cut(unit, course, hand_in)
    if percent and any(each.counted_points for each in final.of(unit)):
        left = {each.id: (_after(percent, each.counted_points), each.counted_max_points) for each in final.of(unit)}
        final.change(unit.folder, "late", reason, left)


def _set_by_hand(final: _Final, unit: Unit, hand_in: HandIn) -> None:
    for each in final.of(unit):
        if override := hand_in.overrides.get(each.id):
            new = score(override.points)
            noun = "point" if new == "1" else "points"
            reason = f"{each.id}: set by hand from {score(each.counted_points)} to {new} {noun}: {override.reason}"
            final.change(unit.folder, "set by hand", reason, {each.id: (override.points, each.counted_max_points)})


def _leave_out(final: _Final, course: Course, hand_in: HandIn) -> None:
    """What is exempt, for everybody or for this learner, and what the course no longer has, does not count."""
    units = {each.id: each.unit for each in course.exercises}
    for id, result in list(final.results.items()):
        why = {
            "is no longer part of the course": id not in units,
            "is exempt for everybody": id in course.policy.exempt,
            "is exempt": id in hand_in.exempt,
        }
        if reason := next((reason for reason, holds in why.items() if holds), ""):
            reason = f"{id} {reason}: neither its points nor its {score(result.max_points)} count."
            final.change(units.get(id, "withdrawn"), "not counted", reason, {id: (0.0, 0.0)})


def _leave_out_lowest(final: _Final, course: Course) -> None:
    """The units with the lowest shares do not count, of equal ones that worth most. At least one unit stays."""
    most = course.policy.drop_lowest_units
    standing: list[tuple[float, float, float, Unit]] = []
    for unit in course.units:
        worth = _sum(each.counted_max_points for each in final.of(unit))
        earned = _sum(each.counted_points for each in final.of(unit))
        if worth and not unit.extra_credit:
            standing.append((earned / worth, -worth, earned, unit))
    standing.sort(key=lambda each: each[:2])
    which = "the lowest unit" if most == 1 else f"one of the {most} lowest units"
    for _, worst, earned, unit in standing[: min(most, len(standing) - 1)]:
        reason = f"{unit.title} is {which}, with {score(earned)} of {score(-worst)} points, and does not count."
        final.change(unit.folder, "not counted", reason, {each.id: (0.0, 0.0) for each in final.of(unit)})


def _after(percent: float, points: float) -> float:
    """The points without so many percent: the only place where rounding happens."""
    exact = Decimal(str(points)) * Decimal(str(percent)) / 100
    taken = min(float(exact.quantize(_HUNDREDTH, ROUND_HALF_UP)), points)
    return round(points - taken, DIGITS) if taken else points


def _sum(points: Iterable[float]) -> float:
    return round(math.fsum(points), DIGITS)


# --- lateness ---------------------------------------------------------------------------------------------------------


def _cut(unit: Unit, course: Course, hand_in: HandIn) -> tuple[float, str]:
    """What percentage lateness takes off a unit's points, and the reason; 0 when it takes nothing."""
    policy, due = course.policy, due_dates(course).get(unit.folder)
    at = hand_in.at.get(unit.folder, hand_in.at.get(EVERY_UNIT))
    if due is None or at is None:
        return 0.0, ""
    extra = timedelta(days=hand_in.extra_days.get(unit.folder, hand_in.extra_days.get(EVERY_UNIT, 0.0)))
    # so many hours later or at the same local time, whichever is later: they differ where clocks change in between
    theirs = max(_latest(due) + extra, _latest(due + extra)).astimezone(due.tzinfo) if extra else due
    late = at - _latest(theirs)
    if late <= timedelta(minutes=policy.grace_minutes):
        return 0.0, ""
    possible = count(max(late.days - 1, 0))  # clocks change by less than a day
    days = next(days for days in possible if at <= _latest(theirs + timedelta(days=days)))
    percent = min(policy.late_percent_per_day * days, policy.late_percent_at_most, 100.0)
    when = moment(theirs) + (f" (extended from {moment(due)})" if extra else "")
    most = f", at most {policy.late_percent_at_most:g} %" if policy.late_percent_at_most < 100 else ""
    return percent, (
        f"{unit.title} was handed in {duration(late)} after {when}: {policy.late_percent_per_day:g} % for each started "
        f"day{most}, so for {counted(days, 'day')} {percent:g} % of its points are taken off."
    )


def due_dates(course: Course) -> dict[str, datetime]:
    """When each unit is due, by folder; units that are missing here are never late."""
    policy = course.policy
    return {folder: due for folder, moment in policy.due.items() if (due := placed(moment, policy.time_zone))}


def _latest(moment: datetime) -> datetime:
    """The latest UTC instant that a local time can mean."""
    return max(moment.replace(fold=fold).astimezone(timezone.utc) for fold in (0, 1))


def moment(when: datetime) -> str:
    """A moment with its zone: 1 March 2026, 12:00 UTC."""
    zone, seconds = when.tzname() or "", ":%S" if when.second else ""
    return f"{when.day} {when:%B %Y, %H:%M{seconds}} {f'UTC{zone}' if zone[:1] in '+-' else zone}"


def duration(length: timedelta) -> str:
    """A duration by its two largest units: 1 day and 3 hours. The rest is left out."""
    hours, rest = divmod(length.seconds, 3600)
    parts = ((length.days, "day"), (hours, "hour"), (rest // 60, "minute"), (rest % 60, "second"))
    first = next((place for place, (number, _) in enumerate(parts) if number), len(parts))
    shown = [counted(number, noun) for number, noun in parts[first : first + 2] if number]
    return " and ".join(shown) or "less than a second"
