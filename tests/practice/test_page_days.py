"""What a learner's page tells of attempts day by day."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from grader.practice.learner_page import days_with_attempts
from grader.practice.progress import AttemptEntry

NOW = datetime(2026, 11, 18, 20, 15, tzinfo=timezone.utc)


def moment(hours: float, points: float, *, id: str = "softmax", **more: Any) -> tuple[str, AttemptEntry]:
    status = "passed" if points == 4.0 else "failed"
    at = NOW - timedelta(hours=hours)
    return id, AttemptEntry(at=at, status=status, points=points, max_points=4.0, digest="", **more)


def test_points_climb_with_the_best_of_each_exercise() -> None:
    days = days_with_attempts([moment(4, 4.0, id="other"), moment(30, 1.0), moment(29, 4.0), moment(5, 0.0)])
    assert [(row.attempts, row.passed, row.points) for row in days] == [(2, 1, 4.0), (2, 1, 8.0)]


def test_review_is_no_second_pass() -> None:
    days = days_with_attempts([moment(1, 4.0), moment(0, 4.0, kind="review")])
    assert [(row.passed, row.reviews) for row in days] == [(1, 1)]
