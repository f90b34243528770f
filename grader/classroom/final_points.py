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
from collections.abc import Iterable, Iterator, Mapping
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
    results = {each.id: _final(each, each.points, each.max_points) for each in graded.exercises}
    adjustments: list[Adjustment] = []
    for step in (_of_units, _left_out, _lowest_left_out):
        for unit, kind, reason, changed in step(results, course, hand_in):
            points = _sum(each.counted_points - results[each.id].counted_points for each in changed)
            results |= {each.id: each for each in changed}
            adjustments.append(Adjustment(unit=unit, points=points, kind=kind, reason=reason))
    totals = {
        "final_points": _sum(each.counted_points for each in results.values()),
        "final_max_points": _sum(each.counted_max_points for each in results.values()),
    }
    return Record(**{**dict(graded), **totals, "exercises": tuple(results.values()), "adjustments": tuple(adjustments)})


def unadjusted(record: Record) -> Record:
    """The record as it was graded, without final points."""
    if not record.is_adjusted:
        return record
    none = {"final_points": None, "final_max_points": None}
    exercises = tuple(exercise.model_copy(update={**none, "uncounted": False}) for exercise in record.exercises)
    return record.model_copy(update={**none, "adjustments": None, "exercises": exercises})


# --- the steps of the policy: each sees the results as those before it have left them ---------------------------------

Results = dict[str, ExerciseResult]
Change = tuple[str, AdjustmentKind, str, list[ExerciseResult]]
"""The unit's folder, what is done, the reason, and the results that take the place of others."""


def _of_units(results: Results, course: Course, hand_in: HandIn) -> Iterator[Change]:
    """Extra credit is out of no maximum, lateness costs its percentage, and what a person set counts instead."""
    due = due_dates(course)
    for unit in course.units:
        there = _of(unit, results)
        if there and unit.extra_credit:
            worth = score(_sum(each.max_points for each in there))
            reason = f"{unit.title} is extra credit: its points count on top, and its {worth} are not in the maximum."
            yield unit.folder, "extra credit", reason, [_final(each, each.counted_points, 0.0) for each in there]
        there = _of(unit, results)
        cut = _cut(unit, due[unit.folder], hand_in, course.policy) if unit.folder in due else None
        if cut and any(each.counted_points for each in there):
            percent, reason = cut
            left = [(each, _after(percent, each.counted_points)) for each in there]
            yield unit.folder, "late", reason, [_final(each, points, each.counted_max_points) for each, points in left]
        there = _of(unit, results)
        for id, override in hand_in.overrides.items():
            for each in (each for each in there if each.id == id):
                old, new = score(each.counted_points), score(override.points)
                noun = "point" if new == "1" else "points"
                reason = f"{id}: set by hand from {old} to {new} {noun}: {override.reason}"
                yield unit.folder, "set by hand", reason, [_final(each, override.points, each.counted_max_points)]


def _left_out(results: Results, course: Course, hand_in: HandIn) -> Iterator[Change]:
    """What is exempt, for everybody or for this learner, and what the course no longer has."""
    units = {each.id: unit.folder for unit in course.units for each in unit.exercises}
    for id, result in list(results.items()):
        worth = f"neither its points nor its {score(result.max_points)} count."
        if id not in units:
            yield _uncounted(WITHDRAWN, f"{id} is no longer part of the course: {worth}", [result])
        elif id in course.policy.exempt:
            yield _uncounted(units[id], f"{id} is exempt for everybody: {worth}", [result])
        elif id in hand_in.exempt:
            yield _uncounted(units[id], f"{id} is exempt: {worth}", [result])


def _lowest_left_out(results: Results, course: Course, hand_in: HandIn) -> Iterator[Change]:
    """The units with the lowest shares, of equal ones that worth most. At least one unit stays."""
    most = course.policy.drop_lowest_units
    standing: list[tuple[float, float, Unit]] = []
    for unit in course.units:
        worth = _sum(each.counted_max_points for each in _of(unit, results))
        if worth and not unit.extra_credit:
            standing.append((_sum(each.counted_points for each in _of(unit, results)) / worth, -worth, unit))
    standing.sort(key=lambda each: each[:2])
    which = "the lowest unit" if most == 1 else f"one of the {most} lowest units"
    for _, worst, unit in standing[: min(most, len(standing) - 1)]:
        earned = _sum(each.counted_points for each in _of(unit, results))
        shown = f"with {score(earned)} of {score(-worst)} points"
        yield _uncounted(unit.folder, f"{unit.title} is {which}, {shown}, and does not count.", _of(unit, results))


def _of(unit: Unit, results: Results) -> list[ExerciseResult]:
    """The results of a unit's exercises, as they are by now."""
    return [results[each.id] for each in unit.exercises if each.id in results]


def _uncounted(unit: str, reason: str, results: Iterable[ExerciseResult]) -> Change:
    nothing = [_final(each, 0.0, 0.0).model_copy(update={"uncounted": True}) for each in results]
    return unit, "not counted", reason, nothing


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
