"""Grading in these tests: a judge gets sources for one exercise, `share`, and there is a record of each."""

from __future__ import annotations

from pathlib import Path

from grader.course import Course, load_course
from grader.intake import SourceFile, Submission
from grader.judge.grading import Judge
from grader.record import ExerciseResult, Record

from ..cases import table

CHECKS: str = table(__file__, "grading.yml")["checks"]
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts / amounts.sum()\n"
"""A mistake of the bank's: whole-sum."""


def with_checks(root: Path, checks: str) -> Course:
    """The course in a folder, with these checks for its exercise `share`."""
    (root / "tests" / "kits" / "01_parts" / "01_share" / "checks.py").write_text(checks)
    return load_course(root / "course.yml")


def submission(source: str, exercise: str = "share") -> Submission:
    return Submission("someone", {exercise: SourceFile(exercise, f"{exercise}.py", source.encode())}, ())


def graded(judge: Judge, *sources: str, exercise: str = "share") -> list[Record]:
    """A record of each source."""
    records: list[Record] = []
    judge.grade([submission(source, exercise) for source in sources], records.append)
    return records


def result(judge: Judge, source: str, exercise: str = "share") -> ExerciseResult:
    """What one source comes to in its exercise."""
    (record,) = graded(judge, source, exercise=exercise)
    return next(each for each in record.exercises if each.id == exercise)
