from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from grader.render.class_summary import ClassSummary, LearnerRow
from grader.render.class_topics import averages, distribution


def row(points: float, worth: float = 10.0, *, is_complete: bool = True, unreadable: str = "") -> LearnerRow:
    return LearnerRow(
        number=1,
        name="n",
        aside="",
        link=None,
        points=points,
        max_points=worth,
        marks="p",
        problems=0,
        is_complete=is_complete,
        unreadable=unreadable,
    )


def counts(rows: Sequence[LearnerRow]) -> list[int]:
    spread = distribution(rows)
    assert spread
    return [bin.count for bin in spread.bins]


@pytest.mark.parametrize(
    ("points", "bin"),
    [(0.0, 0), (0.99, 0), (1.0, 1), (3.0, 3), (7.0, 7), (9.0, 9), (10.0, 9), (12.0, 9)],
    ids=["none", "under-an-edge", "edge", "three-tenths", "seven-tenths", "last-edge", "all", "extra-credit"],
)
def test_points_fall_into_the_bin_that_begins_with_them(points: float, bin: int) -> None:
    assert counts([row(points)]).index(1) == bin


def test_bins_cover_all_points_and_hold_every_mark() -> None:
    spread = distribution([row(n / 4, 21.5) for n in range(87)])
    assert spread and spread.unit == "points"
    assert (spread.bins[0].low, spread.bins[-1].high) == (0, 21.5)
    assert sum(bin.count for bin in spread.bins) == spread.learners == 87


def test_points_that_are_no_mark_are_left_out() -> None:
    rows = [row(4), row(8), row(0, is_complete=False), row(0, unreadable="no zip")]
    spread = distribution(rows)
    assert spread and (spread.learners, spread.mean, spread.median) == (2, 6, 6)
    assert averages(rows) == (
        "Mean 6, median 6 of 10 points, over 2 submissions; "
        "left out: 1 submission not fully graded and 1 submission that could not be read."
    )


def test_different_worth_is_told_in_percent() -> None:
    rows = [row(5, 10), row(20, 20)]
    spread = distribution(rows)
    assert spread and (spread.unit, spread.mean, spread.worth) == ("percent of the points", 75, 100)
    assert averages(rows) == "Mean 75, median 75 percent of the points, over 2 submissions."


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        pytest.param([], "No submissions.", id="empty"),
        pytest.param(
            [row(0, is_complete=False)], "No averages; left out: 1 submission not fully graded.", id="none-graded"
        ),
    ],
)
def test_no_marks_is_said(rows: list[LearnerRow], told: str) -> None:
    assert distribution(rows) is None
    assert averages(rows) == told


def test_exercises_worth_nothing_have_no_distribution() -> None:
    assert distribution([row(0, 0)]) is None


def test_chart_of_a_class_counts_its_marks(small_class: ClassSummary, make_record: Callable[..., Any]) -> None:
    assert sum(counts(small_class.rows)) == sum(row.is_mark for row in small_class.rows) == 10
