"""From graded points to final ones: what is taken off, what counts on top, and why."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.course import Course
from grader.policy.adjusting import adjusted, unadjusted
from grader.policy.rules import HandIn
from grader.record import Record

DUE = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
TERMS = """\
due:
  01_parts: 2026-03-01 12:00 UTC
late_percent_per_day: 10
late_percent_at_most: 50
grace_minutes: 15"""

MakeCourse = Callable[..., Course]
MakeRecord = Callable[..., Record]


def late(**by: int) -> HandIn:
    return HandIn(at={"*": DUE + timedelta(**by)})


@pytest.fixture(scope="module")
def course(make_course_of: MakeCourse) -> Course:
    return make_course_of(TERMS)


@pytest.mark.parametrize(
    ("hand_in", "points", "said"),
    [
        pytest.param(HandIn(), 100.0, None, id="nobody knows when"),
        pytest.param(late(hours=-1), 100.0, None, id="in time"),
        pytest.param(
            late(minutes=15),
            100.0,
            "Parts was handed in 15 minutes after 1 March 2026, 12:00 UTC, which is within the 15 minutes that nobody "
            "counts: no points are taken off.",
            id="within the grace",
        ),
        pytest.param(
            late(minutes=16),
            90.0,
            "Parts was handed in 16 minutes after 1 March 2026, 12:00 UTC: 10 % for each started day, at most 50 %, "
            "so for 1 day 10 % of its points are taken off.",
            id="beyond the grace",
        ),
        pytest.param(
            late(days=1, hours=3),
            80.0,
            "Parts was handed in 1 day and 3 hours after 1 March 2026, 12:00 UTC: 10 % for each started day, "
            "at most 50 %, so for 2 days 20 % of its points are taken off.",
            id="days count from when it was due",
        ),
        pytest.param(
            late(days=30),
            50.0,
            "Parts was handed in 30 days after 1 March 2026, 12:00 UTC: 10 % for each started day, at most 50 %, "
            "so for 30 days 50 % of its points are taken off.",
            id="the most there is",
        ),
        pytest.param(
            HandIn(at={"*": DUE + timedelta(days=9), "01_parts": DUE}), 100.0, None, id="the unit's own time wins"
        ),
        pytest.param(
            HandIn(at={"*": DUE + timedelta(days=3)}, extra_days={"01_parts": 7.0}),
            100.0,
            "Parts was handed in by 8 March 2026, 12:00 UTC (extended from 1 March 2026, 12:00 UTC): "
            "no points are taken off.",
            id="an extension",
        ),
        pytest.param(
            HandIn(at={"*": DUE + timedelta(days=8)}, extra_days={"*": 7.0}),
            90.0,
            "Parts was handed in 1 day after 8 March 2026, 12:00 UTC (extended from 1 March 2026, 12:00 UTC): "
            "10 % for each started day, at most 50 %, so for 1 day 10 % of its points are taken off.",
            id="later than an extension",
        ),
        pytest.param(
            HandIn(at={"*": DUE + timedelta(hours=13)}, extra_days={"*": 0.5}),
            90.0,
            "Parts was handed in 1 hour after 2 March 2026, 00:00 UTC (extended from 1 March 2026, 12:00 UTC): "
            "10 % for each started day, at most 50 %, so for 1 day 10 % of its points are taken off.",
            id="half a day more",
        ),
        pytest.param(
            HandIn(at={"*": DUE}, extra_days={"*": 9.0, "01_parts": 0.0}), 100.0, None, id="the unit's own days win"
        ),
    ],
)
def test_lateness(hand_in: HandIn, points: float, said: str | None, course: Course, make_record_of: MakeRecord) -> None:
    record = adjusted(make_record_of(share=100.0), course, hand_in)
    assert (record.points, record.final_points, record.final_max_points) == (100.0, points, 100.0)
    assert record.adjustments is not None
    assert [each.reason for each in record.adjustments] == ([said] if said else [])
    assert sum(each.points for each in record.adjustments) == points - 100.0


def test_only_the_late_unit_loses_points(course: Course, make_record_of: MakeRecord) -> None:
    record = adjusted(make_record_of(share=40.0, split=10.5, extra=7.0), course, late(days=1))
    assert [each.final_points for each in record.exercises] == [36.0, 9.45, 7.0]
    assert (record.points, record.final_points) == (57.5, 52.45)
    assert [(each.unit, each.points) for each in record.adjustments or ()] == [("01_parts", -5.05)]


def test_half_a_hundredth_is_rounded_up_and_what_was_earned_is_not_rounded(
    course: Course, make_record_of: MakeRecord
) -> None:
    record = adjusted(make_record_of(share=0.05, split=1.2345), course, late(days=1))
    assert [each.final_points for each in record.exercises] == [0.04, 1.1145]


def test_work_without_points_needs_no_reason(course: Course, make_record_of: MakeRecord) -> None:
    record = adjusted(make_record_of(share=0.0), course, late(days=3))
    assert (record.final_points, record.adjustments) == (0.0, ())


def test_extra_credit_counts_on_top(make_course_of: MakeCourse, make_record_of: MakeRecord) -> None:
    course = make_course_of(extra_credit=True)
    record = adjusted(make_record_of(share=100.0, split=90.0, extra=50.0), course, HandIn())
    assert (record.points, record.max_points) == (240.0, 300.0)
    assert (record.final_points, record.final_max_points) == (240.0, 200.0)
    (adjustment,) = record.adjustments or ()
    assert adjustment.reason == "More is extra credit: its points count on top, and its 100 are not in the maximum."


def test_extra_credit_can_be_late_too(make_course_of: MakeCourse, make_record_of: MakeRecord) -> None:
    policy = "due:\n  02_more: 2026-03-01 12:00 UTC\nlate_percent_per_day: 25"
    record = adjusted(make_record_of(share=100.0, extra=40.0), make_course_of(policy, extra_credit=True), late(days=2))
    assert (record.final_points, record.final_max_points) == (120.0, 100.0)
    assert [each.points for each in record.adjustments or ()] == [0.0, -20.0]


def test_extension_of_a_day_on_which_clocks_change_ends_at_the_same_time_of_day(
    make_course_of: MakeCourse, make_record_of: MakeRecord
) -> None:
    policy = "time_zone: Europe/Vienna\ndue:\n  01_parts: 2026-03-20 12:00\nlate_percent_per_day: 10"
    more = {"*": 8.0}  # until 28 March, 12:00 in Vienna, where that is 10:00 in UTC a day later
    course, record = make_course_of(policy), make_record_of(share=100.0)
    on_the_dot = HandIn(at={"*": datetime(2026, 3, 29, 10, tzinfo=timezone.utc)}, extra_days=more)
    a_second_more = HandIn(at={"*": datetime(2026, 3, 29, 10, 0, 1, tzinfo=timezone.utc)}, extra_days=more)
    assert adjusted(record, course, on_the_dot).final_points == 90.0
    assert adjusted(record, course, a_second_more).final_points == 80.0


@pytest.mark.parametrize(
    "policy",
    [
        pytest.param("", id="no policy"),
        pytest.param("time_zone: Europe/Vienna", id="nothing about points"),
    ],
)
def test_course_whose_policy_costs_and_adds_nothing_leaves_the_record_as_it_is(
    policy: str, make_course_of: MakeCourse, make_record_of: MakeRecord
) -> None:
    record = make_record_of(share=100.0)
    hand_in = HandIn(at={"*": DUE + timedelta(days=9)})
    assert adjusted(record, make_course_of(policy), hand_in).to_json() == record.to_json()


def test_lateness_takes_its_percent_exercise_by_exercise_and_half_a_hundredth_is_rounded_up(
    make_course_of: MakeCourse, make_record_of: MakeRecord
) -> None:
    course = make_course_of(TERMS, extra_credit=True)
    record = adjusted(make_record_of(share=8.94, split=0.05, extra=4.0), course, late(days=1))
    assert [each.final_points for each in record.exercises] == [8.05, 0.04, 4.0]
    told = [(each.unit, each.points, each.reason.partition(":")[0]) for each in record.adjustments or ()]
    assert told == [
        ("01_parts", -0.9, "Parts was handed in 1 day after 1 March 2026, 12"),
        ("02_more", 0.0, "More is extra credit"),
    ]


def test_lateness_is_not_told_where_nothing_was_earned(course: Course, make_record_of: MakeRecord) -> None:
    record = adjusted(make_record_of(share=0.0), course, late(days=1))
    assert (record.final_points, record.adjustments) == (0.0, ())


def test_applying_it_again_starts_from_the_graded_points(course: Course, make_record_of: MakeRecord) -> None:
    record = make_record_of(share=100.0, split=33.3)
    once = adjusted(record, course, late(days=1))
    assert adjusted(once, course, late(days=1)).to_json() == once.to_json() != record.to_json()
    assert adjusted(once, course, late(hours=-1)) == adjusted(record, course, late(hours=-1))
    assert unadjusted(once).to_json() == record.to_json()


def test_exercise_that_the_course_lacks_counts_for_nobody(course: Course, make_record_of: MakeRecord) -> None:
    record = adjusted(make_record_of(share=10.0, gone=5.0), course, late(days=1))
    assert [each.final_points for each in record.exercises] == [9.0, 0.0]
    assert (record.points, record.final_points, record.final_max_points) == (15, 9, 100)


cents = st.integers(0, 10_000).map(lambda hundredths: hundredths / 100)
any_points = st.one_of(cents, st.floats(0, 100).map(lambda points: round(points, 6)))
seconds = st.integers(-10 * 86_400, 400 * 86_400)


@settings(deadline=None, max_examples=150)
@given(points=st.lists(any_points, min_size=3, max_size=3), sooner=seconds, later=seconds)
def test_final_points_are_within_the_graded_ones_and_never_rise_with_lateness(
    points: list[float], sooner: int, later: int, course: Course, make_record_of: MakeRecord
) -> None:
    raw = make_record_of(**dict(zip(("share", "split", "extra"), points, strict=True)))
    first, second = (adjusted(raw, course, late(seconds=each)) for each in sorted((sooner, later)))
    for graded, early, tardy in zip(raw.exercises, first.exercises, second.exercises, strict=True):
        assert early.final_points is not None and tardy.final_points is not None
        assert 0 <= tardy.final_points <= early.final_points <= graded.points
    assert 0 <= (second.final_points or 0) <= (first.final_points or 0) <= raw.points + 1e-6
    assert Record.from_json(second.to_json()) == second
