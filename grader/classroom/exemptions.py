"""A CSV of exemptions: exercises that do not count for a learner, with the reason.

Columns are found by their headers: the learner (as in a roster: an id, login, email or name), the exercise's id or the
unit's folder, and optionally a reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict

from grader.course import Course
from grader.course.course_error import did_you_mean, quoted
from grader.errors import KataError
from grader.policy.leaving_out import exercises_of

from .csv_file import Column, CsvRow, read_rows
from .members import LEARNERS, Learner, by_name

WHAT = ("exercise", "exerciseid", "task", "taskid", "unit", "folder", "assignment")
REASONS = ("reason", "why", "comment", "note")


class Exempt(BaseModel):
    """One exercise that does not count for one learner, as the CSV names them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    learner: str
    exercise: str
    reason: str = ""


class _ExemptionRow(CsvRow):
    wanted: ClassVar[str] = "columns for learners and exercises"

    learner: Annotated[str, Column(LEARNERS, "first filled")]
    exercise: Annotated[tuple[str, ...], Column(WHAT, "all")]
    reason: Annotated[str, Column(REASONS)] = ""


def read_exemptions(path: Path, course: Course) -> list[Exempt]:
    """The rows of a CSV of exemptions, one for each exercise.

    Raises KataError for a file that cannot be read, lacks a column, or names no known exercise or unit: grades
    depend on it, so nothing is guessed.
    """
    example = ("learner,exercise,reason", f"ada,{course.exercises[0].id},ill")
    return [
        Exempt(learner=row.learner, exercise=exercise, reason=row.reason)
        for number, row in read_rows(path, _ExemptionRow, example=example)
        for name in row.exercise
        for exercise in _meant(name, course, f"{path}, row {number}")
    ]


def _meant(name: str, course: Course, place: str) -> Sequence[str]:
    ids = [each.id for each in course.exercises]
    if name in ids:
        return [name]
    if theirs := exercises_of(course, name):
        return theirs
    folders = [unit.folder for unit in course.units]
    raise KataError(f"{place}: there is no exercise and no unit {quoted(name)}{did_you_mean(name, [*ids, *folders])}")


def exempt_by_learner(
    rows: Iterable[Exempt], learners: Sequence[Learner]
) -> tuple[dict[str, dict[str, str]], tuple[str, ...]]:
    """The reasons by learner (named as in the results) and exercise; and the rows' names that match no learner."""
    named, unknown = by_name(rows, learners)
    found: dict[str, dict[str, str]] = {}
    for name, row in named:
        found.setdefault(name, {})[row.exercise] = row.reason
    return found, unknown
