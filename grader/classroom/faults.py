"""The record of a submission that the grader could not grade: its own fault, and never a zero."""

from __future__ import annotations

from grader.course import Course
from grader.results import CheckResult, CourseStamp, ExerciseResult, Record

from .terms import Terms


def fault_record(name: str, reason: str, course: Course, terms: Terms) -> Record:
    """A record in which no exercise has a mark.

    reason: one sentence about what happened; it may be shown to the learner.
    """
    chosen = [each for each in course.exercises if not terms.only or each.id in terms.only]
    return Record.of(
        submission=name,
        isolation=terms.level,
        seed=terms.seed,
        course=CourseStamp(title=course.title, version=course.version),
        exercises=[_ungraded(each.id, each.points, reason) for each in chosen],
    )


def _ungraded(exercise: str, worth: float, reason: str) -> ExerciseResult:
    check = CheckResult(
        name="grading",
        title="The grader grades what was handed in.",
        outcome="error",
        points=0.0,
        max_points=0.0,
        visible=False,
        message=f"The grader failed here; that is its own fault, not the learner's. {reason}",
    )
    return ExerciseResult(
        id=exercise, status="error", points=0.0, max_points=worth, checks=(check,), diagnosis=(), seconds=0.0
    )
