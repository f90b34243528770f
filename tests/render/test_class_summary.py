from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest

from grader.record import Problem, Record
from grader.render.class_summary import NAME_LIMIT, ClassSummary

Make = Callable[..., Any]

TITLES = {"a": "First", "b": "Second"}
UNITS = [("One", ["a"]), ("Two", ["b"])]
EVERY_CHECK = ("test_example", "test_formula", "test_dtype")


@pytest.fixture
def summary() -> ClassSummary:
    return ClassSummary(TITLES, UNITS)


def test_exercises_are_counted_by_status(summary: ClassSummary, make_result: Make, make_record: Make) -> None:
    for number, status in enumerate(["passed", "passed", "not_started", "missing", "error"]):
        summary.add(make_record(f"n{number}", [make_result("a", status)]))
    summary.add(make_record("last", [make_result("a", "failed", missed=["test_dtype"])]))
    (tally,) = summary.exercises
    assert tally.counts == {"passed": 2, "failed": 1, "not_started": 1, "missing": 1, "error": 1}
    assert (tally.passed, tally.tried, tally.pass_rate) == (2, 3, 2 / 3)


def test_nobody_tried_is_no_pass_rate(summary: ClassSummary, make_result: Make, make_record: Make) -> None:
    summary.add(make_record("n", [make_result("a", "missing")]))
    assert summary.exercises[0].pass_rate is None


def test_exercises_come_in_course_order_and_unknown_ones_last(
    summary: ClassSummary, make_result: Make, make_record: Make
) -> None:
    summary.add(make_record("n", [make_result("x"), make_result("b")]))
    summary.add(make_record("m", [make_result("a", "missing")]))
    assert [(tally.id, tally.title, tally.unit) for tally in summary.exercises] == [
        ("a", "First", "One"),
        ("b", "Second", "Two"),
        ("x", "x", "Other exercises"),
    ]
    assert [summary.statuses(row) for row in summary.rows] == [[None, "passed", "passed"], ["missing", None, None]]


def test_check_that_most_miss_is_told_with_its_sentence(
    summary: ClassSummary, make_result: Make, make_record: Make
) -> None:
    for number, missed in enumerate([["test_dtype"], ["test_formula", "test_dtype"], ["test_formula"], ["test_dtype"]]):
        summary.add(make_record(f"n{number}", [make_result("a", "failed", missed=missed)]))
    check = summary.exercises[0].most_missed
    assert check and (check.title, check.missed) == ("The weights keep the scores' dtype.", 3)


def test_no_check_is_missed_when_all_pass(summary: ClassSummary, make_result: Make, make_record: Make) -> None:
    summary.add(make_record("n", [make_result("a")]))
    assert summary.exercises[0].most_missed is None


@pytest.mark.parametrize(
    ("reason", "missed", "is_stuck"),
    [
        pytest.param("SyntaxError", EVERY_CHECK, True, id="one-reason"),
        pytest.param("", EVERY_CHECK, False, id="a-reason-each"),
        pytest.param("SyntaxError", EVERY_CHECK[:2], False, id="something-passed"),
    ],
)
def test_code_that_fails_all_for_one_reason_says_nothing_of_single_checks(
    reason: str, missed: list[str], is_stuck: bool, summary: ClassSummary, make_result: Make, make_record: Make
) -> None:
    summary.add(make_record("n", [make_result("a", "failed", missed=missed, reason=reason)]))
    (tally,) = summary.exercises
    assert list(tally.stuck) == ([1] if is_stuck else [])
    assert (tally.most_missed is None) == is_stuck


def test_misconceptions_come_by_number_of_learners(summary: ClassSummary, make_result: Make, make_record: Make) -> None:
    made = [("b", ["scale"]), ("a", ["mask"]), ("b", ["mask", "scale"]), ("b", ["scale"])]
    for number, (id, mistakes) in enumerate(made):
        failed = make_result(id, "failed", missed=["test_formula"], mistakes=mistakes)
        summary.add(make_record(f"n{number}", [failed]))
    told = [(each.exercise.id, each.message, list(each.learners)) for each in summary.misconceptions]
    assert told == [
        ("b", "scale was made.", [1, 3, 4]),
        ("a", "mask was made.", [2]),
        ("b", "mask was made.", [3]),
    ]


def test_missed_check_with_a_known_mistake_is_explained(
    summary: ClassSummary, make_result: Make, make_record: Make
) -> None:
    summary.add(make_record("n", [make_result("a", "failed", missed=["test_dtype"], mistakes=["mask"])]))
    summary.add(make_record("m", [make_result("a", "failed", missed=["test_dtype"])]))
    check = summary.exercises[0].most_missed
    assert check and check.missed == 2 and list(check.unexplained) == [2]


def test_only_what_holds_nothing_readable_is_unreadable(
    summary: ClassSummary, make_result: Make, make_record: Make
) -> None:
    problem = Problem(file="x.zip", kind="unreadable", message="This is not a zip file.")
    summary.add(make_record("zip", [make_result("a", "missing")], [problem]))
    summary.add(make_record("part", [make_result("a"), make_result("b", "missing")], [problem]))
    summary.add(make_record("empty", [make_result("a", "missing")]))
    assert [(row.unreadable, row.is_mark, row.has_begun) for row in summary.rows] == [
        ("This is not a zip file.", False, False),
        ("", True, True),
        ("", True, False),
    ]


def test_learner_without_a_full_grade_has_no_mark(summary: ClassSummary, make_result: Make, make_record: Make) -> None:
    summary.add(make_record("n", [make_result("a"), make_result("b", "error")]))
    assert not summary.rows[0].is_mark and summary.rows[0].has_begun


@pytest.mark.parametrize(
    ("shown", "name", "aside"),
    [
        pytest.param("", "s1", "", id="none"),
        pytest.param("Ada", "Ada", "s1", id="a-name"),
        pytest.param("s1", "s1", "", id="the-same"),
        pytest.param("a\u202eb\nc", "a\\u202eb\\nc", "s1", id="tricks"),
        pytest.param("x" * 1000, "x" * NAME_LIMIT + "...", "s1", id="endless"),
    ],
)
def test_names_are_safe_to_show(
    shown: str, name: str, aside: str, summary: ClassSummary, make_result: Make, make_record: Make
) -> None:
    summary.add(make_record("s1", [make_result("a")]), shown=shown)
    assert (summary.rows[0].name, summary.rows[0].aside) == (name, aside)


def test_name_of_blanks_can_still_be_seen(summary: ClassSummary, make_result: Make, make_record: Make) -> None:
    summary.add(make_record(" ", [make_result("a")]))
    assert summary.rows[0].name == "(no name)"


def test_records_are_not_kept(summary: ClassSummary, make_record: Make, make_result: Make) -> None:
    for number in range(50):
        summary.add(make_record(f"n{number}", [make_result("a", "failed", missed=["test_dtype"])]))
    gc.collect()
    kept = [each.submission for each in gc.get_objects() if isinstance(each, Record)]
    assert not {f"n{number}" for number in range(50)} & set(kept)
    assert len(summary.rows) == 50
