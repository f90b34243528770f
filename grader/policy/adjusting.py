"""A graded record with the points that the course's policy leaves of it.

Points are taken off exercise by exercise: what is taken off is rounded to hundredths, half a hundredth up, here and
nowhere else; what was earned is never rounded. So nobody ends above the raw points or below 0, and being later never
helps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal

from grader.course import Course, Unit
from grader.reports.wording import counted, score
from grader.results import Adjustment, ExerciseResult, Record

from .lateness import LateTerms, late_by, started_days
from .phrasing import duration, moment
from .rules import Deadline, HandIn, changes_points, deadline_for, deadlines, late_terms, of_unit

_HUNDREDTH = Decimal("0.01")
_DIGITS = 9  # so that no noise of floats is left


@dataclass(frozen=True)
class _Cut:
    """How much of a unit's points is taken off, and why."""

    percent: float
    reason: str


def adjusted(record: Record, course: Course, hand_in: HandIn) -> Record:
    """The record with final points and the reasons for them; without, where the course's policy changes no points.

    Earlier final points in the record count for nothing.
    """
    raw = unadjusted(record)
    if not changes_points(course):
        return raw
    results = {result.id: result for result in raw.exercises}
    finals = {id: _final(result, taken=0.0, on_top=False) for id, result in results.items()}
    adjustments: list[Adjustment] = []
    due, terms = deadlines(course), late_terms(course)
    for unit in course.units:
        there = [results[exercise.id] for exercise in unit.exercises if exercise.id in results]
        if not there:
            continue
        if unit.extra_credit:
            adjustments.append(_on_top(unit, there))
        cut = _cut(unit, due[unit.folder], hand_in, terms) if unit.folder in due else None
        percent = cut.percent if cut else 0.0
        taken = {result.id: _taken(result.points, percent) for result in there}
        if cut and any(result.points for result in there):
            points = -round(math.fsum(taken.values()), _DIGITS)
            adjustments.append(Adjustment(unit=unit.folder, points=points, reason=cut.reason))
        for result in there:
            finals[result.id] = _final(result, taken[result.id], on_top=unit.extra_credit)
    exercises = tuple(finals.values())
    return Record(
        **{
            **dict(raw),
            "exercises": exercises,
            "final_points": _total([each.final_points for each in exercises]),
            "final_max_points": _total([each.final_max_points for each in exercises]),
            "adjustments": tuple(adjustments),
        }
    )


def unadjusted(record: Record) -> Record:
    """The record as it was graded, without any final points."""
    if not record.is_adjusted:
        return record
    none = {"final_points": None, "final_max_points": None}
    exercises = tuple(exercise.model_copy(update=none) for exercise in record.exercises)
    return record.model_copy(update={**none, "adjustments": None, "exercises": exercises})


def _final(result: ExerciseResult, taken: float, *, on_top: bool) -> ExerciseResult:
    return result.model_copy(
        update={
            "final_points": round(result.points - taken, _DIGITS) if taken else result.points,
            "final_max_points": 0.0 if on_top else result.max_points,
        }
    )


def _taken(points: float, percent: float) -> float:
    """What `percent` of the points are: the one place where points are rounded."""
    exact = Decimal(str(points)) * Decimal(str(percent)) / 100
    return min(float(exact.quantize(_HUNDREDTH, ROUND_HALF_UP)), points)


def _on_top(unit: Unit, results: Sequence[ExerciseResult]) -> Adjustment:
    worth = score(math.fsum(result.max_points for result in results))
    reason = f"{unit.title} is extra credit: its points count on top, and its {worth} are not in the maximum."
    return Adjustment(unit=unit.folder, points=0.0, reason=reason)


def _cut(unit: Unit, due: datetime, hand_in: HandIn, terms: LateTerms) -> _Cut | None:
    """What lateness takes off a unit; None when there is nothing to say."""
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
    """The time that counts, and whether it is this learner's own."""
    extended = f" (extended from {moment(deadline.ordinary)})" if deadline.is_extended else ""
    return f"{moment(deadline.due)}{extended}"


def _total(points: Sequence[float | None]) -> float:
    return round(math.fsum(each or 0.0 for each in points), _DIGITS)
