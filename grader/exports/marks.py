"""What a record comes to as marks. Where the grader itself failed there is none, and none is never a zero."""

from __future__ import annotations

from grader.results import ExerciseResult, Record


def mark(record: Record) -> float | None:
    """The points of a whole submission that count, or None when an exercise could not be graded."""
    return record.counted_points if record.complete else None


def exercise_mark(exercise: ExerciseResult) -> float | None:
    """The points of an exercise that count, or None when it could not be graded."""
    return None if exercise.status == "error" else exercise.counted_points


def ungraded(record: Record) -> list[str]:
    """The exercises of a record that could not be graded."""
    return [exercise.id for exercise in record.exercises if exercise.status == "error"]
