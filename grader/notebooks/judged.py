"""Grades submissions behind the wall, once the reference solutions have got full marks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

from grader.course import Course, Exercise
from grader.errors import KataError
from grader.intake import SourceFile, Submission
from grader.judge.faults import GraderBroken
from grader.record import Record
from grader.sandbox.launch import MachineError
from grader.sandbox.levels import Level
from grader.service.client import judge_for


def grade_all(
    course: Course,
    exercises: tuple[Exercise, ...],
    level: Level,
    seed: int,
    submissions: Iterator[Submission],
    take: Callable[[Record], None],
) -> None:
    """Grade one submission after the other, and pass on each record before the next submission is asked for.

    Raises KataError when nobody can be graded: the machine cannot isolate, the checks are broken, or the references
    do not get full marks.
    """
    paths = {each.id: course.solution_path(each) for each in exercises}
    sources = {id: SourceFile(id, path.name, path.read_bytes()) for id, path in paths.items()}
    try:
        with closing(judge_for(course, level, seed, tuple(sources))) as judge:
            judge.grade([Submission("reference", sources, ())], _demand_full_marks)
            judge.grade(submissions, take)
    except MachineError as error:
        raise KataError(
            f"This machine cannot isolate submissions (missing: {error}). No grade was recorded. See `kata doctor`."
        ) from None


def _demand_full_marks(record: Record) -> None:
    short = [each for each in record.exercises if each.points != each.max_points or each.status != "passed"]
    if short:
        listed = ", ".join(f"{each.id} ({each.points:g} of {each.max_points:g} points)" for each in short)
        raise GraderBroken(
            f"The reference solution does not get full marks here: {listed}. Nobody is graded before that is mended; "
            "`kata verify` says more."
        )


def why_unfinished(record: Record) -> str:
    """Why a record is not complete: the checks at which the grader itself failed."""
    errors = [
        f"{exercise.id}, {check.name}: {check.message}"
        for exercise in record.exercises
        for check in exercise.checks
        if check.outcome == "error"
    ]
    return f"The grader itself failed, so there is no grade: {'; '.join(errors[:3])}"
