"""Computes a record's final points under the course's policy.

Points are taken off for lateness, exercise by exercise: what is taken off is rounded to hundredths, half a hundredth
up, here and nowhere else; what was earned is never rounded. So nobody ends above the raw points or below 0, and being
later never helps. What a person has set by hand comes last, and is what counts. What does not count at all is left out
of that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

from grader.course import Course, Unit
from grader.record import Adjustment, ExerciseResult, Record
from grader.render.wording import counted, score

from .leaving_out import is_withdrawn, without_uncounted
from .rules import (
    Correction,
    Deadline,
    HandIn,
    LateTerms,
    changes_points,
    deadline_for,
    deadlines,
    late_by,
    late_terms,
    of_unit,
    started_days,
)

DIGITS = 9
"""Points are rounded to this many digits after every sum, to remove floating-point noise."""

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")  # fmt: skip
"""`strftime` gives English names only in an English locale."""


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
    told = [counted(count, noun) for count, noun in parts]
    first = next((place for place, (count, _) in enumerate(parts) if count), None)
    if first is None:
        return "less than a second"
    second = [told[first + 1]] if first + 1 < len(parts) and parts[first + 1][0] else []
    return " and ".join([told[first], *second])


def for_correction(exercise: str, before: float, correction: Correction) -> str:
    """The reason for a correction: other points than the policy leaves."""
    return f"{exercise}: set by hand from {score(before)} to {points(score(correction.points))}: {correction.reason}"


def points(number: str) -> str:
    """A formatted number of points, with its noun."""
    return f"{number} point" if number == "1" else f"{number} points"


_HUNDREDTH = Decimal("0.01")


@dataclass(frozen=True)
class _Cut:
    """The percentage taken off a unit's points, and the reason."""

    percent: float
    reason: str


def adjusted(record: Record, course: Course, hand_in: HandIn, *, always: bool = False) -> Record:
    """The record with final points and the reasons for them; without, where the policy changes no points.

    always: add final points all the same, because others of the class have them. Final points that the record already
    has are ignored.
    """
    raw = unadjusted(record)
    withdrawn = any(is_withdrawn(each, course) for each in raw.exercises)
    if not (always or changes_points(course) or hand_in.corrections or hand_in.exempt or withdrawn):
        return raw
    results = {result.id: result for result in raw.exercises}
    finals = {id: _final(result, result.points, on_top=False) for id, result in results.items()}
    adjustments: list[Adjustment] = []
    due = deadlines(course)
    for unit in course.units:
        there = [results[exercise.id] for exercise in unit.exercises if exercise.id in results]
        if not there:
            continue
        left, changes = _left(unit, there, course, due.get(unit.folder), hand_in)
        adjustments += changes
        adjustments += _corrected(unit, left, hand_in)
        finals |= {result.id: _final(result, left[result.id], on_top=unit.extra_credit) for result in there}
    counting = without_uncounted(finals, course, hand_in)
    exercises = tuple(counting.finals.values())
    return Record(
        **{
            **dict(raw),
            "exercises": exercises,
            "final_points": _total([each.final_points for each in exercises]),
            "final_max_points": _total([each.final_max_points for each in exercises]),
            "adjustments": (*adjustments, *counting.adjustments),
        }
    )


def unadjusted(record: Record) -> Record:
    """The record as it was graded, without final points."""
    if not record.is_adjusted:
        return record
    none = {"final_points": None, "final_max_points": None}
    exercises = tuple(exercise.model_copy(update={**none, "uncounted": False}) for exercise in record.exercises)
    return record.model_copy(update={**none, "adjustments": None, "exercises": exercises})


def _left(
    unit: Unit, results: Sequence[ExerciseResult], course: Course, due: datetime | None, hand_in: HandIn
) -> tuple[dict[str, float], list[Adjustment]]:
    """The points that the policy leaves for a unit's exercises, by id, and the reasons."""
    changes = [_on_top(unit, results)] if unit.extra_credit else []
    left = {result.id: result.points for result in results}
    cut = _cut(unit, due, hand_in, late_terms(course)) if due else None
    if cut and any(left.values()):
        late = {id: _taken(_exact(points) * _exact(cut.percent) / 100, points) for id, points in left.items()}
        left = {id: _less(points, late[id]) for id, points in left.items()}
        changes.append(Adjustment(unit=unit.folder, points=-_total(list(late.values())), reason=cut.reason))
    return left, changes


def _corrected(unit: Unit, left: dict[str, float], hand_in: HandIn) -> list[Adjustment]:
    """Replace points of a unit's exercises by corrections; return the reason for each."""
    changes = []
    for id, correction in hand_in.corrections.items():
        if id in left:
            reason = for_correction(id, left[id], correction)
            changes.append(
                Adjustment(unit=unit.folder, points=round(correction.points - left[id], DIGITS), reason=reason)
            )
            left[id] = correction.points
    return changes


def _final(result: ExerciseResult, left: float, *, on_top: bool) -> ExerciseResult:
    return result.model_copy(update={"final_points": left, "final_max_points": 0.0 if on_top else result.max_points})


def _exact(number: float) -> Decimal:
    return Decimal(str(number))


def _taken(exact: Decimal, points: float) -> float:
    """The deduction, at most the points themselves: the only place where rounding happens."""
    return min(float(exact.quantize(_HUNDREDTH, ROUND_HALF_UP)), points)


def _less(points: float, taken: float) -> float:
    return round(points - taken, DIGITS) if taken else points


def _on_top(unit: Unit, results: Sequence[ExerciseResult]) -> Adjustment:
    worth = score(math.fsum(result.max_points for result in results))
    reason = f"{unit.title} is extra credit: its points count on top, and its {worth} are not in the maximum."
    return Adjustment(unit=unit.folder, points=0.0, reason=reason)


def _cut(unit: Unit, due: datetime, hand_in: HandIn, terms: LateTerms) -> _Cut | None:
    """The deduction for lateness in a unit; None when there is nothing to report."""
    at = of_unit(unit.folder, hand_in.at)
    deadline = deadline_for(unit.folder, due, hand_in)
    if at is None or not late_by(at, deadline.ordinary):
        return None
    late = late_by(at, deadline.due)
    if not late:
        return _Cut(0.0, f"{unit.title} was handed in by {_told(deadline)}: no points are taken off.")
    how = f"{unit.title} was handed in {duration(late)} after {_told(deadline)}"
    if late <= terms.grace:
        grace = duration(terms.grace)
        return _Cut(0.0, f"{how}, which is within the {grace} that nobody counts: no points are taken off.")
    days = started_days(at, deadline.due)
    percent = terms.percent(days)
    if not percent:
        return None
    most = f", at most {terms.percent_at_most:g} %" if terms.percent_at_most < 100 else ""
    rate = f"{terms.percent_per_day:g} % for each started day{most}"
    return _Cut(percent, f"{how}: {rate}, so for {counted(days, 'day')} {percent:g} % of its points are taken off.")


def _told(deadline: Deadline) -> str:
    """The deadline that applies, and whether it is an extension."""
    extended = f" (extended from {moment(deadline.ordinary)})" if deadline.is_extended else ""
    return f"{moment(deadline.due)}{extended}"


def _total(points: Sequence[float | None]) -> float:
    return round(math.fsum(each or 0.0 for each in points), DIGITS)
