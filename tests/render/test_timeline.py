"""What a learner's page tells of time: attempts day by day, and what comes back when."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest

from grader.render.learner_page import Agenda, Task
from grader.render.timeline import Moment, timeline

NOW = datetime(2026, 11, 18, 20, 15, tzinfo=timezone.utc)
TODAY = NOW.date()


def moment(hours: float, points: float, *, id: str = "softmax", **more: Any) -> Moment:
    return Moment(NOW - timedelta(hours=hours), id, points, is_passed=points == 4.0, **more)


def test_chart_climbs_with_the_best_of_each_exercise() -> None:
    chart = timeline([moment(4, 4.0, id="other"), moment(30, 1.0), moment(29, 4.0), moment(5, 0.0)], 16.0, NOW)
    assert chart is not None and (chart.top, chart.attempts) == (50, 4)
    assert [(row.attempts, row.passed, row.points) for row in chart.days] == [(2, 1, 4.0), (2, 1, 8.0)]
    assert [(start, width, y) for _, start, width, y in chart.bars] == [(0.0, 50.0, 75.0), (50.0, 50.0, 0.0)]


def test_review_is_no_second_pass() -> None:
    chart = timeline([moment(1, 4.0), moment(0, 4.0, is_review=True)], 16.0, NOW)
    assert chart is not None and [(row.passed, row.reviews) for row in chart.days] == [(1, 1)]


def test_chart_goes_on_to_today() -> None:
    chart = timeline([moment(24 * 9, 4.0)], 16.0, NOW)
    assert chart is not None and chart.ticks == (date(2026, 11, 9), date(2026, 11, 13), TODAY)
    assert [(start, width) for _, start, width, _ in chart.bars] == [(0.0, 100.0)]


def test_nothing_tried_is_no_chart() -> None:
    assert timeline([], 16.0, NOW) is None


def due(id: str, on: date) -> Task:
    return Task(id, id, f"{id}.py", "passed", 4.0, 4.0, due_on=on)


def test_what_is_overdue_stands_at_today_and_what_is_far_away_at_the_end() -> None:
    old, now, last, far = (
        due("old", date(2026, 11, 2)),
        due("now", TODAY),
        due("last", date(2026, 12, 17)),
        due("far", date(2026, 12, 18)),
    )
    agenda = Agenda.of([far, last, old, now], TODAY)
    assert agenda.days == ((TODAY, (old, now)), (date(2026, 12, 17), (last,)))
    assert agenda.later == ((date(2026, 12, 18), far),)


@pytest.mark.parametrize(
    ("days", "said"), [(-3, "today"), (0, "today"), (1, "tomorrow"), (5, "Monday 23 November")], ids=str
)
def test_days_are_said_as_people_say_them(days: int, said: str) -> None:
    assert Agenda.of([], TODAY).said(TODAY + timedelta(days=days)) == said
