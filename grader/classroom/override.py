"""Sets points by hand: one exercise of one learner, with a reason, after the course's policy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course
from grader.errors import KataError
from grader.record import ExerciseResult

from .corrections import add_correction
from .final_points import apply_policy
from .handed_in import result_of_learner
from .results_file import Result
from .run import sole_run

BACK = "back"
"""In place of points: takes an earlier override back."""


@dataclass(frozen=True)
class Overridden:
    """What was set: the points that count, before and after. remarks: sentences of the policy."""

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
    with sole_run(out):
        result = result_of_learner(out, learner)
        before = graded_exercise(result, id)
        name = result.learner.name
        add_correction(out, name, id, _points(points, before), " ".join(reason.split()))
        remarks = apply_policy(out, course)
        after = graded_exercise(result_of_learner(out, name), id)
    return Overridden(result.learner.shown, id, before.counted_points, after.counted_points, tuple(remarks))


def graded_exercise(result: Result, id: str) -> ExerciseResult:
    """The result of an exercise. Raises KataError when it was not graded."""
    for each in result.record.exercises:
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
