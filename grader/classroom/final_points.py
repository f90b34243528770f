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
from typing import TypeVar

from grader.course import Course, Unit
from grader.course.model import Policy
from grader.course.moments import placed, read_moment, read_zone
from grader.record import Adjustment, AdjustmentKind, ExerciseResult, Record
from grader.render.wording import counted, score

Known = TypeVar("Known")
EVERY_UNIT = "*"
"""Stands for all units not listed by their folders."""
WITHDRAWN = "withdrawn"
"""In place of a unit, for an exercise that the course no longer has."""
DIGITS = 9
"""Points are rounded to this many digits after every sum, to remove floating-point noise."""
_HUNDREDTH = Decimal("0.01")
MOST_DAYS = 10_000
"""Counting started days stops here."""
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")  # fmt: skip
"""`strftime` gives English names only in an English locale."""


@dataclass(frozen=True)
class Override:
    """Points for an exercise set by hand, and the reason."""

    points: float
    reason: str


@dataclass(frozen=True)
class HandIn:
    """What is known of one learner's hand-in.

    at: when it was, by unit. extra_days: how much later each unit is due, by unit. overrides: points that were set by
    hand, by exercise. exempt: exercises that do not count.
    """

    at: Mapping[str, datetime] = field(default_factory=dict)
    extra_days: Mapping[str, float] = field(default_factory=dict)
    overrides: Mapping[str, Override] = field(default_factory=dict)
    exempt: tuple[str, ...] = ()


def changes_points(course: Course) -> bool:
    """Whether final points could differ from graded ones by what course.yml says."""
    policy = course.policy
    is_changed = policy.due or policy.exempt or policy.drop_lowest_units
    return bool(is_changed) or any(unit.extra_credit for unit in course.units)


def adjusted(record: Record, course: Course, hand_in: HandIn, *, always: bool = False) -> Record:
    """The record with final points and the reasons for them; without, where the policy changes no points.

    always: add final points all the same, because others of the class have them. Final points that the record already
    has are ignored.
    """
    graded = unadjusted(record)
    known = {each.id for each in course.exercises}
    is_any_withdrawn = any(each.id not in known for each in graded.exercises)
    if not (always or changes_points(course) or hand_in.overrides or hand_in.exempt or is_any_withdrawn):
        return graded
    finals = _Finals(graded.exercises)
    due = due_dates(course)
    for unit in course.units:
        if finals.of(unit):
            finals.count_on_top(unit)
            finals.take_off_for_lateness(unit, due.get(unit.folder), hand_in, course.policy)
            finals.set_by_hand(unit, hand_in)
    finals.leave_out_exempt(course, hand_in)
    finals.leave_out_lowest(course)
    exercises = tuple(finals.results.values())
    totals = {
        "final_points": _sum(each.counted_points for each in exercises),
        "final_max_points": _sum(each.counted_max_points for each in exercises),
    }
    return Record(**{**dict(graded), **totals, "exercises": exercises, "adjustments": tuple(finals.adjustments)})


def unadjusted(record: Record) -> Record:
    """The record as it was graded, without final points."""
    if not record.is_adjusted:
        return record
    none = {"final_points": None, "final_max_points": None}
    exercises = tuple(exercise.model_copy(update={**none, "uncounted": False}) for exercise in record.exercises)
    return record.model_copy(update={**none, "adjustments": None, "exercises": exercises})


class _Finals:
    """The results with their final points, as the steps of the policy change them one after the other, and why."""

    def __init__(self, graded: Iterable[ExerciseResult]) -> None:
        self.results = {each.id: _final(each, each.points, each.max_points) for each in graded}
        self.adjustments: list[Adjustment] = []

    def of(self, unit: Unit) -> list[ExerciseResult]:
        """The results of a unit's exercises."""
        return [self.results[each.id] for each in unit.exercises if each.id in self.results]

    def count_on_top(self, unit: Unit) -> None:
        """Take a unit of extra credit out of the maximum."""
        if unit.extra_credit:
            worth = score(_sum(each.max_points for each in self.of(unit)))
            reason = f"{unit.title} is extra credit: its points count on top, and its {worth} are not in the maximum."
            on_top = [_final(each, each.counted_points, 0.0) for each in self.of(unit)]
            self._change(unit.folder, "extra credit", reason, on_top)

    def take_off_for_lateness(self, unit: Unit, due: datetime | None, hand_in: HandIn, policy: Policy) -> None:
        """Take the percentage for its lateness off a unit's points."""
        cut = _cut(unit, due, hand_in, policy) if due else None
        if cut and any(each.counted_points for each in self.of(unit)):
            percent, reason = cut
            left = [
                _final(each, _after(percent, each.counted_points), each.counted_max_points) for each in self.of(unit)
            ]
            self._change(unit.folder, "late", reason, left)

    def set_by_hand(self, unit: Unit, hand_in: HandIn) -> None:
        """Replace points of a unit's exercises by those that a person set."""
        there = {each.id: each for each in self.of(unit)}
        for id, override in hand_in.overrides.items():
            if id in there:
                old, new = score(there[id].counted_points), score(override.points)
                noun = "point" if new == "1" else "points"
                reason = f"{id}: set by hand from {old} to {new} {noun}: {override.reason}"
                final = _final(there[id], override.points, there[id].counted_max_points)
                self._change(unit.folder, "set by hand", reason, [final])

    def leave_out_exempt(self, course: Course, hand_in: HandIn) -> None:
        """Leave out what is exempt, for everybody or for this learner, and what the course no longer has."""
        units = {each.id: unit.folder for unit in course.units for each in unit.exercises}
        for id, result in list(self.results.items()):
            worth = f"neither its points nor its {score(result.max_points)} count."
            if id not in units:
                self._leave_out(WITHDRAWN, f"{id} is no longer part of the course: {worth}", [result])
            elif id in course.policy.exempt:
                self._leave_out(units[id], f"{id} is exempt for everybody: {worth}", [result])
            elif id in hand_in.exempt:
                self._leave_out(units[id], f"{id} is exempt: {worth}", [result])

    def leave_out_lowest(self, course: Course) -> None:
        """Leave out the units with the lowest shares, of equal ones that worth most. At least one unit stays."""
        most = course.policy.drop_lowest_units
        standing: list[tuple[float, float, Unit]] = []
        for unit in course.units:
            earned, worth = self._earned(unit)
            if worth and not unit.extra_credit:
                standing.append((earned / worth, -worth, unit))
        standing.sort(key=lambda each: each[:2])
        which = "the lowest unit" if most == 1 else f"one of the {most} lowest units"
        for _, _, unit in standing[: min(most, len(standing) - 1)]:
            earned, worth = self._earned(unit)
            shown = f"with {score(earned)} of {score(worth)} points"
            self._leave_out(unit.folder, f"{unit.title} is {which}, {shown}, and does not count.", self.of(unit))

    def _earned(self, unit: Unit) -> tuple[float, float]:
        """A unit's points and maximum as they count by now."""
        there = self.of(unit)
        return _sum(each.counted_points for each in there), _sum(each.counted_max_points for each in there)

    def _leave_out(self, unit: str, reason: str, results: Iterable[ExerciseResult]) -> None:
        nothing = [_final(each, 0.0, 0.0).model_copy(update={"uncounted": True}) for each in results]
        self._change(unit, "not counted", reason, nothing)

    def _change(self, unit: str, kind: AdjustmentKind, reason: str, results: Iterable[ExerciseResult]) -> None:
        """Put new results in place of old ones, and note what that changed in the points, and why."""
        new = {each.id: each for each in results}
        points = _sum(each.counted_points - self.results[id].counted_points for id, each in new.items())
        self.results |= new
        self.adjustments.append(Adjustment(unit=unit, points=points, kind=kind, reason=reason))


def _final(result: ExerciseResult, points: float, most: float) -> ExerciseResult:
    return result.model_copy(update={"final_points": points, "final_max_points": most})


def _after(percent: float, points: float) -> float:
    """The points without so many percent: the only place where rounding happens."""
    exact = Decimal(str(points)) * Decimal(str(percent)) / 100
    taken = min(float(exact.quantize(_HUNDREDTH, ROUND_HALF_UP)), points)
    return round(points - taken, DIGITS) if taken else points


def _cut(unit: Unit, due: datetime, hand_in: HandIn, policy: Policy) -> tuple[float, str] | None:
    """What percentage lateness takes off a unit's points, and the reason; None when there is nothing to tell."""
    at = _of_unit(unit.folder, hand_in.at)
    if at is None or not late_by(at, due):
        return None
    extra = _of_unit(unit.folder, hand_in.extra_days) or 0.0
    theirs = extended(due, extra)
    when = moment(theirs) + (f" (extended from {moment(due)})" if extra > 0 else "")
    late = late_by(at, theirs)
    if not late:
        return 0.0, f"{unit.title} was handed in by {when}: no points are taken off."
    how = f"{unit.title} was handed in {duration(late)} after {when}"
    grace = timedelta(minutes=policy.grace_minutes)
    if late <= grace:
        return 0.0, f"{how}, which is within the {duration(grace)} that nobody counts: no points are taken off."
    days = started_days(at, theirs)
    percent = min(policy.late_percent_per_day * days, policy.late_percent_at_most, 100.0)
    if not percent:
        return None
    most = f", at most {policy.late_percent_at_most:g} %" if policy.late_percent_at_most < 100 else ""
    rate = f"{policy.late_percent_per_day:g} % for each started day{most}"
    return percent, f"{how}: {rate}, so for {counted(days, 'day')} {percent:g} % of its points are taken off."


def _of_unit(unit: str, known: Mapping[str, Known]) -> Known | None:
    """What is known of the unit, else what is known of all units."""
    return known.get(unit, known.get(EVERY_UNIT))


def _sum(points: Iterable[float]) -> float:
    return round(math.fsum(points), DIGITS)


# --- due dates, and time in words -------------------------------------------------------------------------------------


def due_dates(course: Course) -> dict[str, datetime]:
    """When each unit is due, by folder; units that are missing here are never late."""
    zone = read_zone(course.policy.time_zone) if course.policy.time_zone else None
    written = {folder: read_moment(text) for folder, text in course.policy.due.items()}
    found = {folder: placed(moment, zone) for folder, moment in written.items() if moment}
    return {folder: moment for folder, moment in found.items() if moment}


def extended(due: datetime, days: float) -> datetime:
    """So many days of 24 hours after `due`, in its time zone."""
    return (latest(due) + timedelta(days=days)).astimezone(due.tzinfo) if days else due


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
    possible = range(max(late.days - 1, 0), MOST_DAYS)  # clocks change by less than a day
    return next((days for days in possible if not late_by(handed_in, due + timedelta(days=days))), MOST_DAYS)


def moment(when: datetime) -> str:
    """A moment with its zone: 1 March 2026, 12:00 UTC."""
    zone = when.tzname() or ""
    seconds = f":{when.second:02d}" if when.second else ""
    clock = f"{when.hour:02d}:{when.minute:02d}{seconds}"
    return f"{when.day} {MONTHS[when.month - 1]} {when.year}, {clock} {f'UTC{zone}' if zone[:1] in '+-' else zone}"


def duration(length: timedelta) -> str:
    """A duration by its two largest units: 1 day and 3 hours. The rest is left out."""
    hours, rest = divmod(length.seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    parts = ((length.days, "day"), (hours, "hour"), (minutes, "minute"), (seconds, "second"))
    first = next((place for place, (count, _) in enumerate(parts) if count), len(parts))
    shown = [counted(count, noun) for place, (count, noun) in enumerate(parts[: first + 2]) if count]
    return " and ".join(shown) or "less than a second"
