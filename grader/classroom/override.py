"""Sets points by hand: one exercise of one learner, with a reason, after the course's policy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course
from grader.errors import KataError
from grader.record import ExerciseResult, Record

from .publishing import changed_aside, publish, published, stale_exports
from .results import ClassResults
from .store import writing

BACK = "back"
"""In place of points: takes an earlier override back."""


@dataclass(frozen=True)
class Overridden:
    """What was set: the points that count, before and after. remarks: sentences for the person who did it."""

    learner: str
    exercise: str
    before: float
    after: float
    remarks: tuple[str, ...]


def override_points(out: Path, learner: str, exercise: str, points: str, reason: str, course: Course) -> Overridden:
    """Set a learner's points for an exercise. points: a number, or BACK.

    Raises KataError for an unknown learner or exercise, points that are none, or a blank reason; OSError.
    """
    if not reason.strip():
        raise KataError("--reason must say why: whoever looks at these points later has nothing else.")
    id = course.exercise(exercise).id
    with writing(out) as store:
        before = ClassResults(store, course)
        result = before.find(learner, f"kata override {out}")
        old = graded_exercise(result.record, id)
        totals = published(out)
        store.override(before.run, result.learner.id, id, _points(points, old), " ".join(reason.split()))
        results = ClassResults(store, course)
        new = graded_exercise(results.of(result.learner).record, id)
        publish(out, results)
        remarks = [*changed_aside(totals, results, {result.learner.id}), *results.remarks(), *stale_exports(out)]
    return Overridden(result.learner.name, id, old.counted_points, new.counted_points, tuple(remarks))


def graded_exercise(record: Record, id: str) -> ExerciseResult:
    """The result of an exercise. Raises KataError when it was not graded."""
    for each in record.exercises:
        if each.id == id:
            return each
    raise KataError(f"{id} was not graded in this run.")


def _points(text: str, exercise: ExerciseResult) -> float | None:
    """The number, from 0 to the exercise's maximum; None for BACK."""
    if text == BACK:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= exercise.max_points:
        raise KataError(
            f"Points for {exercise.id} are a number from 0 to {exercise.max_points:g}, or {BACK}; {text!r} is none."
        )
    return number
