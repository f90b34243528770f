"""Leaves out what does not count for a learner: withdrawn and exempt exercises, and the lowest units.

Neither their points nor their maximum count, so a learner's other points keep their value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from grader.course import Course, Unit
from grader.record import Adjustment, ExerciseResult
from grader.render.wording import score

from .rules import HandIn

WITHDRAWN = "withdrawn"
"""In place of a unit, for an exercise that the course no longer has."""


@dataclass(frozen=True)
class Uncounted:
    """Final results with those that do not count, and the reasons."""

    finals: Mapping[str, ExerciseResult]
    adjustments: tuple[Adjustment, ...]


def is_withdrawn(result: ExerciseResult, course: Course) -> bool:
    """Whether the course no longer has this exercise."""
    return all(result.id != each.id for each in course.exercises)


def without_uncounted(finals: Mapping[str, ExerciseResult], course: Course, hand_in: HandIn) -> Uncounted:
    """The final results without those that do not count."""
    left = dict(finals)
    adjustments = []
    for id, unit, why in _exempt(finals.values(), course, hand_in):
        adjustments.append(Adjustment(unit=unit, points=-(left[id].counted_points), reason=why))
        left[id] = _nothing_of(left[id])
    for unit_, told in _lowest(left, course):
        there = [left[each.id] for each in unit_.exercises if each.id in left]
        adjustments.append(
            Adjustment(unit=unit_.folder, points=-_sum(each.counted_points for each in there), reason=told)
        )
        left |= {each.id: _nothing_of(each) for each in there}
    return Uncounted(left, tuple(adjustments))


def _exempt(results: Iterable[ExerciseResult], course: Course, hand_in: HandIn) -> Iterator[tuple[str, str, str]]:
    """Yield each exempt or withdrawn exercise, its unit, and the reason."""
    units = {each.id: unit.folder for unit in course.units for each in unit.exercises}
    for result in results:
        id, worth = result.id, f"neither its points nor its {score(result.max_points)} count."
        if id not in units:
            yield id, WITHDRAWN, f"{id} is no longer part of the course: {worth}"
        elif id in course.policy.exempt:
            yield id, units[id], f"{id} is exempt for everybody: {worth}"
        elif id in hand_in.exempt:
            yield id, units[id], f"{id} is exempt: {worth}"


def _lowest(results: Mapping[str, ExerciseResult], course: Course) -> Iterator[tuple[Unit, str]]:
    """Yield the units to drop: the lowest shares, of equal ones the unit worth most. At least one unit stays."""
    most = course.policy.drop_lowest_units
    if not most:
        return
    standing: list[tuple[float, float, float, Unit]] = []
    for unit in course.units:
        there = [results[each.id] for each in unit.exercises if each.id in results]
        worth = _sum(each.counted_max_points for each in there)
        if worth and not unit.extra_credit:
            earned = _sum(each.counted_points for each in there)
            standing.append((earned / worth, -worth, earned, unit))
    dropped = sorted(standing, key=lambda each: each[:2])[: min(most, len(standing) - 1)]
    which = "the lowest unit" if most == 1 else f"one of the {most} lowest units"
    for _, worth, earned, unit in dropped:
        yield unit, f"{unit.title} is {which}, with {score(earned)} of {score(-worth)} points, and does not count."


def _nothing_of(result: ExerciseResult) -> ExerciseResult:
    return result.model_copy(update={"final_points": 0.0, "final_max_points": 0.0, "uncounted": True})


def _sum(points: Iterable[float]) -> float:
    return round(math.fsum(points), 9)
