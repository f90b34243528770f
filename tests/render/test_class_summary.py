"""A class summed up: counts, what to explain, what may be unfair, and the spread of points."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from grader.record import Problem, Record
from grader.render.class_summary import NAME_LIMIT, ClassSummary, LearnerRow

Make = Callable[..., Any]

TITLES = {"a": "First", "b": "Second"}
UNITS = [("One", ["a"]), ("Two", ["b"])]
EVERY_CHECK = ("test_example", "test_formula", "test_dtype")


@pytest.fixture
def summary() -> ClassSummary:
    return ClassSummary(TITLES, UNITS)


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
    assert [row.statuses for row in summary.rows] == [{"x": "passed", "b": "passed"}, {"a": "missing"}]


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
    assert {cause: len(learners) for cause, learners in tally.stuck.items()} == ({"SyntaxError": 1} if is_stuck else {})
    assert (tally.most_missed is None) == is_stuck


def test_an_error_of_which_one_check_shows_shapes_is_one_reason(
    summary: ClassSummary, make_result: Make, make_record: Make
) -> None:
    failed = make_result("a", "failed", missed=EVERY_CHECK, reason="RuntimeError in line 3: the sizes differ")
    first, *others = failed.checks
    shown = first.model_copy(update={"message": f"{first.message}\n    weights  (2, 3)"})
    summary.add(make_record("n", [failed.model_copy(update={"checks": (shown, *others)})]))
    assert list(summary.exercises[0].stuck) == ["RuntimeError: the sizes differ"]


def test_misconceptions_come_by_number_of_learners(summary: ClassSummary, make_result: Make, make_record: Make) -> None:
    made = [("b", ["scale"]), ("a", ["mask"]), ("b", ["mask", "scale"]), ("b", ["scale"])]
    for number, (id, mistakes) in enumerate(made):
        failed = make_result(id, "failed", missed=["test_formula"], mistakes=mistakes)
        summary.add(make_record(f"n{number}", [failed]))
    told = [(each.exercise.id, each.message, [row.number for row in each.learners]) for each in summary.misconceptions]
    assert told == [
        ("b", "scale was made.", [1, 3, 4]),
        ("a", "mask was made.", [2]),
        ("b", "mask was made.", [3]),
    ]


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


def test_records_are_not_kept(summary: ClassSummary, make_record: Make, make_result: Make) -> None:
    for number in range(50):
        summary.add(make_record(f"n{number}", [make_result("a", "failed", missed=["test_dtype"])]))
    gc.collect()
    kept = [each.submission for each in gc.get_objects() if isinstance(each, Record)]
    assert not {f"n{number}" for number in range(50)} & set(kept)
    assert len(summary.rows) == 50


# --- what to say to the class -----------------------------------------------------------------------------------------


def class_of(results: Sequence[Any], make_record: Make) -> ClassSummary:
    summary = ClassSummary({}, [])
    for number, result in enumerate(results):
        summary.add(make_record(f"n{number}", [result]))
    return summary


def test_topics_are_the_commonest_known_mistakes(make_result: Make, make_record: Make) -> None:
    made = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
    results = [
        make_result("a", "failed", missed=["test_formula"], mistakes=[name])
        for name, count in made.items()
        for _ in range(count)
    ]
    assert [(topic.message, topic.how_many) for topic in class_of(results, make_record).topics] == [
        ("five was made.", "5 of the 15 learners who tried"),
        ("four was made.", "4 of the 15 learners who tried"),
        ("three was made.", "3 of the 15 learners who tried"),
    ]


def test_riddles_are_what_no_known_mistake_explains(make_result: Make, make_record: Make) -> None:
    known = make_result("a", "failed", missed=["test_formula"], mistakes=["one"])
    unknown = make_result("a", "failed", missed=["test_dtype"])
    stuck = [
        make_result("a", "failed", missed=EVERY_CHECK, reason=f"SyntaxError in line {line}: it was never closed")
        for line in (3, 7)
    ]
    right = make_result("a")
    found = class_of([known] * 4 + [unknown] * 3 + stuck + [right] * 9, make_record).unexplained
    assert [[row.number for row in topic.learners] for topic in found] == [[5, 6, 7], [8, 9]]
    assert "“The weights keep the scores' dtype.”" in found[0].message
    assert found[1].message == "fail every check. SyntaxError: it was never closed"


@pytest.mark.parametrize(
    ("passed", "failed", "is_doubtful"),
    [(0, 5, True), (0, 4, False), (1, 9, True), (1, 8, False), (9, 1, False)],
    ids=["nobody", "too-few-to-say", "one-of-ten", "one-of-nine", "nearly-all"],
)
def test_exercise_that_nearly_nobody_passes_is_doubted(
    passed: int, failed: int, is_doubtful: bool, make_result: Make, make_record: Make
) -> None:
    wrong = make_result("a", "failed", missed=["test_dtype"])
    summary = class_of([make_result("a")] * passed + [wrong] * failed, make_record)
    assert [tally.id for tally in summary.doubtful] == (["a"] if is_doubtful else [])
    assert bool(summary.unexplained) != (is_doubtful or failed < 2)


# --- points -----------------------------------------------------------------------------------------------------------


def class_with(*points: tuple[float, float], **more: Any) -> ClassSummary:
    """A class of learners with these points and maxima."""
    summary = ClassSummary({}, [])
    given = {"is_complete": True, "unreadable": "", "problems": 0, "statuses": {}, **more}
    summary.rows = [
        LearnerRow(1, "n", "", None, earned, worth, **given, graded_points=earned) for earned, worth in points
    ]
    return summary


@pytest.mark.parametrize(
    ("points", "bin"),
    [(0.0, 0), (0.99, 0), (1.0, 1), (3.0, 3), (7.0, 7), (9.0, 9), (10.0, 9), (12.0, 9)],
    ids=["none", "under-an-edge", "edge", "three-tenths", "seven-tenths", "last-edge", "all", "extra-credit"],
)
def test_points_fall_into_the_bin_that_begins_with_them(points: float, bin: int) -> None:
    spread = class_with((points, 10.0)).distribution
    assert spread and spread.counts.index(1) == bin


def test_points_that_are_no_mark_are_left_out() -> None:
    summary = class_with((4, 10), (8, 10))
    summary.rows += class_with((0, 10), is_complete=False).rows + class_with((0, 10), unreadable="no zip").rows
    spread = summary.distribution
    assert spread and (spread.learners, spread.mean, spread.median) == (2, 6, 6)
    assert summary.averages == (
        "Mean 6, median 6 of 10 points, over 2 submissions; "
        "left out: 1 submission not fully graded and 1 submission that could not be read."
    )


def test_different_worth_is_told_in_percent() -> None:
    assert class_with((5, 10), (20, 20)).averages == ("Mean 75, median 75 percent of the points, over 2 submissions.")


@pytest.mark.parametrize(
    ("summary", "told"),
    [
        pytest.param(class_with(), "No submissions.", id="empty"),
        pytest.param(
            class_with((0, 1), is_complete=False),
            "No averages; left out: 1 submission not fully graded.",
            id="none-graded",
        ),
        pytest.param(class_with((0, 0)), "No submissions.", id="worth-nothing"),
    ],
)
def test_no_marks_is_said(summary: ClassSummary, told: str) -> None:
    assert summary.distribution is None
    assert summary.averages == told


def test_class_goes_by_the_final_points_and_keeps_the_graded_ones(late: Record) -> None:
    summary = ClassSummary({}, [])
    summary.add(late)
    (row,) = summary.rows
    assert (row.points, row.max_points, row.graded_points) == (6.2, 4.0, 7.0)
    assert row.changes == ("late",)
    spread = summary.distribution
    assert spread and spread.counts == (0,) * 9 + (1,)
    assert spread.mean == pytest.approx(6.2)
