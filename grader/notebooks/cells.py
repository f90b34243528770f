"""Which cell of a notebook is what: the names and the metadata that nbgrader and the rest of this package go by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from grader.course import Course, Exercise
from grader.submission.carried import KEY

SCHEMA_VERSION = 3
"""Of nbgrader's metadata, as nbgrader 0.9 writes it."""

OURS = KEY
"""The key of our own metadata of a notebook or a cell."""

_TEST = "test-"  # never an exercise's id, which has no hyphen
_CHECK = "check-"
REFLECTION = "reflection"


def id_of_test(exercise: Exercise) -> str:
    """The grade_id of an exercise's test cell; that of its answer is the exercise's own id."""
    return _TEST + exercise.id


def exercise_tested(cell: Mapping[str, Any], course: Course) -> Exercise | None:
    """The exercise that this cell gives the points for, or None. Raises CourseError when the course lacks it."""
    grade_id = grade_id_of(cell)
    return course.exercise(grade_id[len(_TEST) :]) if is_test(cell) and grade_id.startswith(_TEST) else None


def asked_in(grade_id: str) -> str:
    """What a graded cell is about, by its name: an exercise's id, or `reflection`."""
    return grade_id.removeprefix(_TEST)


def exercises_of(cells: Iterable[Mapping[str, Any]], course: Course) -> list[Exercise]:
    """The exercises that a notebook of ours asks for, in its order. Raises CourseError when the course lacks one."""
    return [exercise for cell in cells if (exercise := exercise_tested(cell, course))]


def grade_id_of(cell: Mapping[str, Any]) -> str:
    """The cell's name in the gradebook; empty when it has none."""
    grade_id = _marks(cell).get("grade_id")
    return grade_id if isinstance(grade_id, str) else ""


def is_answer(cell: Mapping[str, Any]) -> bool:
    """Whether a learner's code belongs here."""
    marks = _marks(cell)
    return cell.get("cell_type") == "code" and marks.get("solution") is True and marks.get("grade") is False


def is_test(cell: Mapping[str, Any]) -> bool:
    """Whether the points of an exercise are given here."""
    marks = _marks(cell)
    return cell.get("cell_type") == "code" and marks.get("grade") is True and marks.get("solution") is False


def is_manual(cell: Mapping[str, Any]) -> bool:
    """Whether a learner's text belongs here, to be read by a person."""
    marks = _marks(cell)
    return cell.get("cell_type") == "markdown" and marks.get("grade") is True and marks.get("solution") is True


def marks_of_answer(exercise: Exercise) -> dict[str, Any]:
    """nbgrader's metadata of an answer."""
    return _of(exercise.id, grade=False, solution=True, locked=False)


def marks_of_test(exercise: Exercise) -> dict[str, Any]:
    """nbgrader's metadata of a test cell, with the exercise's points."""
    return _of(id_of_test(exercise), grade=True, solution=False, locked=True, points=exercise.points)


def marks_of_check(exercise: Exercise) -> dict[str, Any]:
    """nbgrader's metadata of the cell in which a learner has the answer checked: to be read and run only."""
    return _of(_CHECK + exercise.id, grade=False, solution=False, locked=True)


def marks_of_manual(points: float) -> dict[str, Any]:
    """nbgrader's metadata of a unit's reflection."""
    return _of(REFLECTION, grade=True, solution=True, locked=False, points=points)


def _of(grade_id: str, *, grade: bool, solution: bool, locked: bool, points: float | None = None) -> dict[str, Any]:
    marks = {
        "grade": grade,
        "grade_id": grade_id,
        "locked": locked,
        "schema_version": SCHEMA_VERSION,
        "solution": solution,
        "task": False,
    }
    return marks if points is None else {**marks, "points": int(points) if points == int(points) else points}


def _marks(cell: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = cell.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, Mapping) else None
    return marks if isinstance(marks, Mapping) else {}
