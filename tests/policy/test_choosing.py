"""Which of several attempts counts, and what is told about it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone

import pytest

from grader.course import AttemptRule
from grader.policy.choosing import Tried, chosen
from grader.record import Attempt, CheckResult, CourseStamp, ExerciseResult, Problem, Record

NOON = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)


def only_status(status: str, *problems: Problem) -> Record:
    """A record whose one exercise has no result: it is missing, or the grader failed."""
    error = CheckResult(
        name="grading", title="", outcome="error", points=0.0, max_points=0.0, visible=False, message="It broke."
    )
    exercise = ExerciseResult(
        id="share",
        status="error" if status == "error" else "missing",
        points=0.0,
        max_points=100.0,
        checks=(error,) if status == "error" else (),
        diagnosis=(),
        seconds=0.0,
    )
    stamp = CourseStamp(title="Tiny", version="1")
    return Record.of(submission="ada", isolation="full", seed=1, course=stamp, exercises=[exercise], problems=problems)


DAMAGED = only_status("missing", Problem(file="3.zip", kind="unreadable", message="3.zip is damaged."))
BROKEN = only_status("error")


def counts(attempts: list[Tried], rule: AttemptRule) -> Attempt:
    found = chosen(attempts, rule).attempt
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("rule", "points", "number"),
    [
        pytest.param("last", [100, 50, 20], 3, id="the last"),
        pytest.param("best", [20, 100, 50], 2, id="the best"),
        pytest.param("best", [50, 100, 100], 2, id="of equal ones the earlier"),
    ],
)
def test_rule_chooses(
    rule: AttemptRule, points: list[float], number: int, make_record_of: Callable[..., Record]
) -> None:
    attempts = [Tried(f"try {place}", make_record_of(share=each)) for place, each in enumerate(points, 1)]
    record = chosen(attempts, rule)
    assert record.attempt is not None
    assert (record.attempt.number, record.attempt.of, record.attempt.name) == (number, 3, f"try {number}")
    assert record.points == points[number - 1]


def test_single_attempt_says_nothing_of_attempts(make_record_of: Callable[..., Record]) -> None:
    record = make_record_of(share=40)
    assert chosen([Tried("1", record)], "last") == record
    assert "attempt" not in record.to_json()


def test_last_is_the_latest_where_all_times_are_known(make_record_of: Callable[..., Record]) -> None:
    early, late = make_record_of(share=10), make_record_of(share=20)
    attempts = [Tried("1", late, NOON.replace(hour=13)), Tried("2", early, NOON)]
    assert (counts(attempts, "last").name, counts(attempts, "last").number) == ("1", 2)
    partly_known = [Tried("1", late, NOON), Tried("2", early)]
    assert counts(partly_known, "last").name == "2"


@pytest.mark.parametrize("rule", ["last", "best"])
def test_damaged_attempt_is_passed_over_and_told(rule: AttemptRule, make_record_of: Callable[..., Record]) -> None:
    attempts = [Tried("1", make_record_of(share=0)), Tried("2", make_record_of(share=0)), Tried("3", DAMAGED)]
    attempt = counts(attempts, rule)
    assert attempt.number == (2 if rule == "last" else 1)
    assert attempt.reason.endswith("In attempt 3 no exercise was found: 3.zip is damaged.")


def test_damaged_attempts_alone_leave_the_last() -> None:
    record = chosen([Tried("1", only_status("missing")), Tried("2", DAMAGED)], "last")
    assert record.attempt is not None
    assert (record.attempt.number, record.points, record.problems) == (2, 0.0, DAMAGED.problems)


def test_best_takes_no_attempt_for_a_mark_that_the_grader_failed_on(make_record_of: Callable[..., Record]) -> None:
    attempt = counts([Tried("1", make_record_of(share=0)), Tried("2", BROKEN)], "best")
    assert attempt.number == 1
    assert "Attempt 2 could not be graded in full, by the grader's own fault" in attempt.reason


def test_last_stays_the_last_when_the_grader_failed_on_it(make_record_of: Callable[..., Record]) -> None:
    assert counts([Tried("1", make_record_of(share=100)), Tried("2", BROKEN)], "last").number == 2
