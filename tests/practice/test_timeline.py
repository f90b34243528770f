"""What a learner's page tells of attempts day by day."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from typing import Any

from grader.practice.progress import AttemptEntry
from grader.practice.timeline import timeline

NOW = datetime(2026, 11, 18, 20, 15, tzinfo=timezone.utc)
TODAY = NOW.date()


def moment(hours: float, points: float, *, id: str = "softmax", **more: Any) -> tuple[str, AttemptEntry]:
    status = "passed" if points == 4.0 else "failed"
    at = NOW - timedelta(hours=hours)
    return id, AttemptEntry(at=at, status=status, points=points, max_points=4.0, digest="", **more)


def test_chart_climbs_with_the_best_of_each_exercise() -> None:
    chart = timeline([moment(4, 4.0, id="other"), moment(30, 1.0), moment(29, 4.0), moment(5, 0.0)], 16.0, TODAY)
    assert chart is not None and (chart.top, chart.attempts) == (50, 4)
    assert [(row.attempts, row.passed, row.points) for row in chart.days] == [(2, 1, 4.0), (2, 1, 8.0)]
    assert [(start, width, y) for _, start, width, y in chart.bars] == [(0.0, 50.0, 75.0), (50.0, 50.0, 0.0)]


def test_review_is_no_second_pass() -> None:
    chart = timeline([moment(1, 4.0), moment(0, 4.0, kind="review")], 16.0, TODAY)
    assert chart is not None and [(row.passed, row.reviews) for row in chart.days] == [(1, 1)]


def test_chart_goes_on_to_today() -> None:
    chart = timeline([moment(24 * 9, 4.0)], 16.0, TODAY)
    assert chart is not None and chart.ticks == (date(2026, 11, 9), date(2026, 11, 13), TODAY)
    assert [(start, width) for _, start, width, _ in chart.bars] == [(0.0, 100.0)]


def test_nothing_tried_is_no_chart() -> None:
    assert timeline([], 16.0, TODAY) is None
