"""What opened hints count for, and what a learner is told of their cost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest

from grader.course import Course, load_course
from grader.policy.rules import paid_hints
from grader.practice.hints import HintsShut, next_hint, what_hints_cost
from grader.practice.progress import AttemptEntry, ExerciseProgress, HintEntry, ReviewEntry

AT = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
FREE = "The first hint of an exercise is free. "
FIRST, SECOND, MISTAKE = HintEntry(at=AT, level=1), HintEntry(at=AT, level=2), HintEntry(at=AT, mistake="columns")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Course:
    root = make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share")
    with (root / "course.yml").open("a") as file:
        file.write("policy:\n  hints_cost_points: 0.5\n")
    return load_course(root / "course.yml")


def failed() -> AttemptEntry:
    return AttemptEntry(at=AT, status="failed", points=0.0, max_points=4.0, digest="a")


@pytest.mark.parametrize(
    ("done", "opened", "paid"),
    [
        pytest.param(ExerciseProgress(), 0, 0, id="none"),
        pytest.param(ExerciseProgress(hints=[FIRST]), 1, 0, id="the first is free"),
        pytest.param(ExerciseProgress(hints=[MISTAKE, FIRST, SECOND]), 2, 1, id="a diagnosis is no hint"),
        pytest.param(
            ExerciseProgress(hints=[FIRST, FIRST, SECOND], reviews=[ReviewEntry(at=AT, hints=1)]),
            1,
            0,
            id="none of a review",
        ),
    ],
)
def test_hints_that_count(done: ExerciseProgress, opened: int, paid: int) -> None:
    assert (done.opened_hints, paid_hints(done.opened_hints)) == (opened, paid)


def test_cost_is_told_with_every_hint_while_there_are_more(course: Course) -> None:
    (exercise,), done = course.exercises, ExerciseProgress()
    for level in (1, 2, 3):
        given = next_hint(exercise, done)
        assert what_hints_cost(course, given, done) == (
            f"{FREE}Your instructor may take off 0.5 points for each further one."
        )
        shut = next_hint(exercise, done)
        assert isinstance(shut, HintsShut)
        assert bool(what_hints_cost(course, shut, done)) == (level < 3)
        done.attempts = [*done.attempts, failed()]


def test_cost_is_not_told_where_there_is_none(course: Course) -> None:
    (exercise,) = course.exercises
    diagnosed = ExerciseProgress(attempts=[failed().model_copy(update={"mistakes": {"columns": "You summed those."}})])
    in_review = ExerciseProgress(passed_at=AT, reviews=[ReviewEntry(at=AT)])
    for done in (diagnosed, in_review):
        assert what_hints_cost(course, next_hint(exercise, done), done) == ""
    assert (
        what_hints_cost(load_course_without_cost(course), next_hint(exercise, done := ExerciseProgress()), done) == ""
    )


def load_course_without_cost(course: Course) -> Course:
    return course.model_copy(update={"policy": course.policy.model_copy(update={"hints_cost_points": 0.0})})
