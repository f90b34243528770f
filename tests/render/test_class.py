"""A class summed up: counts, what to explain, what may be unfair, the spread of points; and printed at any width."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.cells import cell_len

from grader.record import ExerciseResult, Problem, Record
from grader.render.class_summary import ClassSummary, LearnerRow
from grader.render.class_table import print_class

from ..cases import rows
from .conftest import CASES, CHECKS, LATE, class_record, class_result, crowd, printed

GOLDEN = Path(__file__).parent / "golden"
TITLES = {"a": "First", "b": "Second"}
UNITS = [("One", ["a"]), ("Two", ["b"])]
FAILED = {"missed": ["test_formula"]}
STUCK = {"missed": CHECKS, "reason": "SyntaxError in line 3: it was never closed"}


def wrong(*mistakes: str, id: str = "a", **more: Any) -> ExerciseResult:
    return class_result(id, "failed", mistakes=mistakes, **{**FAILED, **more})


def class_of(*learners: ExerciseResult | Sequence[ExerciseResult]) -> ClassSummary:
    """A class whose learners handed in these results, one or several each."""
    summary = ClassSummary(TITLES, UNITS)
    for number, results in enumerate(learners):
        handed_in = [results] if isinstance(results, ExerciseResult) else results
        summary.add(class_record(f"n{number}", handed_in))
    return summary


def test_exercises_come_in_course_order_and_unknown_ones_last() -> None:
    summary = class_of([class_result("x"), class_result("b")], class_result("a", "missing"))
    assert [(tally.id, tally.title, tally.unit) for tally in summary.exercises] == [
        ("a", "First", "One"),
        ("b", "Second", "Two"),
        ("x", "x", "Other exercises"),
    ]
    assert [row.statuses for row in summary.rows] == [{"x": "passed", "b": "passed"}, {"a": "missing"}]


@rows(CASES["stuck"], "more", "stuck")
def test_code_that_fails_all_for_one_reason_says_nothing_of_single_checks(more: Any, stuck: list[str]) -> None:
    (tally,) = class_of(wrong(**more)).exercises
    assert list(tally.stuck) == stuck
    assert (tally.most_missed is None) == bool(stuck)


def test_an_error_of_which_one_check_shows_shapes_is_one_reason() -> None:
    first, *others = wrong(**STUCK).checks
    shown = first.model_copy(update={"message": f"{first.message}\n    weights  (2, 3)"})
    summary = class_of(wrong(**STUCK).model_copy(update={"checks": (shown, *others)}))
    assert list(summary.exercises[0].stuck) == ["SyntaxError: it was never closed"]


def test_misconceptions_come_by_number_of_learners_and_topics_are_the_first() -> None:
    made = [("b", ["scale"]), ("a", ["mask"]), ("b", ["mask", "scale"]), ("b", ["scale"]), ("a", ["axis"])]
    summary = class_of(*(wrong(*mistakes, id=id) for id, mistakes in made))
    told = [(each.exercise.id, each.message, [row.number for row in each.learners]) for each in summary.misconceptions]
    assert told == [
        ("b", "scale was made.", [1, 3, 4]),
        ("a", "mask was made.", [2]),
        ("a", "axis was made.", [5]),
        ("b", "mask was made.", [3]),
    ]
    assert [topic.how_many for topic in summary.topics] == [
        "3 of the 3 learners who tried",
        "1 of the 2 learners who tried",
        "1 of the 2 learners who tried",
    ]


def test_riddles_are_what_no_known_mistake_explains() -> None:
    unknown = wrong(missed=["test_dtype"])
    again = wrong(**{**STUCK, "reason": "SyntaxError in line 7: it was never closed"})
    right = class_result("a")
    found = class_of(*[wrong("one")] * 4, *[unknown] * 3, wrong(**STUCK), again, *[right] * 9).unexplained
    assert [[row.number for row in topic.learners] for topic in found] == [[5, 6, 7], [8, 9]]
    assert "“The weights keep the scores' dtype.”" in found[0].message
    assert found[1].message == "fail every check. SyntaxError: it was never closed"


@rows(CASES["doubted"], "passed", "failed", "is_doubtful")
def test_exercise_that_nearly_nobody_passes_is_doubted(passed: int, failed: int, is_doubtful: bool) -> None:
    summary = class_of(*[class_result("a")] * passed, *[wrong()] * failed)
    assert [tally.id for tally in summary.doubtful] == (["a"] if is_doubtful else [])
    assert bool(summary.unexplained) != (is_doubtful or failed < 2)


def test_only_what_holds_nothing_readable_is_unreadable() -> None:
    problem = Problem(file="x.zip", kind="unreadable", message="This is not a zip file.")
    summary = ClassSummary(TITLES, UNITS)
    summary.add(class_record("zip", [class_result("a", "missing")], [problem]))
    summary.add(class_record("part", [class_result("a"), class_result("b", "missing")], [problem]))
    summary.add(class_record("empty", [class_result("a", "missing")]))
    assert [(row.unreadable, row.is_mark, row.has_begun) for row in summary.rows] == [
        ("This is not a zip file.", False, False),
        ("", True, True),
        ("", True, False),
    ]


@rows(CASES["names"], "shown", "name", "aside")
def test_names_are_safe_to_show(shown: str, name: str, aside: str) -> None:
    summary = ClassSummary(TITLES, UNITS)
    summary.add(class_record("s1", [class_result("a")]), shown=shown)
    assert (summary.rows[0].name, summary.rows[0].aside) == (name, aside)


def test_records_are_not_kept() -> None:
    assert len(class_of(*[wrong()] * 50).rows) == 50
    gc.collect()
    kept = {each.submission for each in gc.get_objects() if isinstance(each, Record)}
    assert not {f"n{number}" for number in range(50)} & kept


# --- points -----------------------------------------------------------------------------------------------------------


def class_with(*learners: tuple[float, float, dict[str, Any]]) -> ClassSummary:
    """A class of learners: their points, the most they could get, and what else is true of them."""
    summary = ClassSummary({}, [])
    usual = {"is_complete": True, "unreadable": "", "problems": 0, "statuses": {}}
    summary.rows = [
        LearnerRow(1, "n", "", None, earned, worth, **{**usual, **more}, graded_points=earned)
        for earned, worth, more in learners
    ]
    return summary


@rows(CASES["bins"], "points", "bin")
def test_points_fall_into_the_bin_that_begins_with_them(points: float, bin: int) -> None:
    spread = class_with((points, 10.0, {})).distribution
    assert spread and [count for _, _, count in spread.bins] == [int(place == bin) for place in range(10)]


@rows(CASES["averages"], "learners", "told")
def test_averages_are_told_of_marks_alone(learners: Any, told: str) -> None:
    summary = class_with(*learners)
    assert summary.averages == told
    assert (summary.distribution is None) == ("Mean" not in told)


def test_class_goes_by_the_final_points_and_keeps_the_graded_ones() -> None:
    summary = ClassSummary({}, [])
    summary.add(LATE)
    (row,) = summary.rows
    assert (row.points, row.max_points, row.graded_points, row.changes) == (6.2, 4.0, 7.0, ("late",))
    assert summary.averages == "Mean 6.2, median 6.2 of 4 points and extra credit, over 1 submission."
    text = " ".join(table_of(summary).split())
    assert text.startswith("submission points graded passed exercises noether 6.2 / 4 7 2 / 2")


# --- in a terminal ----------------------------------------------------------------------------------------------------


def table_of(summary: ClassSummary, *how: Any, rest: str = "") -> str:
    return printed(lambda console: print_class(summary, console, rest=rest), *how)


def test_large_class_is_shortened_and_says_where_the_rest_is(golden: Callable[[Path, str], None]) -> None:
    many = ClassSummary({}, [])
    for record in crowd(1000, 40):
        many.add(record)
    text = table_of(many, rest="out/class.html")
    golden(GOLDEN / "class-large.txt", text)
    assert sum(int(line.split()[-1]) for line in text.split("Learners by points\n")[1].splitlines()[:10]) == 1000
    assert "  ###" in table_of(many, 80, "ascii")


def test_no_line_is_wider_than_the_terminal(small_class: ClassSummary) -> None:
    for width in (20, 40, 63, 80):
        assert max(cell_len(line) for line in table_of(small_class, width).split("\n")) <= width


def test_terminal_without_unicode_gets_plain_marks(small_class: ClassSummary) -> None:
    text = table_of(small_class, 80, "ascii")
    assert "+xxox+" in text
    assert "+ passed  x failed  o not started  - missing  ! not graded" in text


def test_class_without_submissions_is_told() -> None:
    summary = ClassSummary({}, [])
    assert table_of(summary) == "No submissions.\n"
    summary.add_absent("Zoë")
    assert "On the roster, but handed in nothing: Zoë" in table_of(summary)
