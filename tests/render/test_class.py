"""A class summed up: counts, what to explain, what may be unfair, the spread of points; and printed at any width."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.cells import cell_len

from grader.record import ExerciseResult, Problem, Record
from grader.render.class_summary import ClassSummary, LearnerRow
from grader.render.class_table import print_class

from ..cases import rows, table
from .conftest import CASES, LATE, class_record, class_result, crowd, printed, result_like

GOLDEN = Path(__file__).parent / "golden"
TITLES = {"a": "First", "b": "Second"}
UNITS = [("One", ["a"]), ("Two", ["b"])]


def class_of(learners: Sequence[Mapping[str, Any]]) -> ClassSummary:
    """A class of these learners, as classes.yml has them."""
    summary = ClassSummary(TITLES, UNITS)
    for number, learner in enumerate(learners):
        results = [result_of_row(id, each) for id, each in learner.items() if id not in ("called", "problem")]
        message = learner.get("problem")
        problems = [Problem(file="x.zip", kind="unreadable", message=message)] if message else []
        summary.add(class_record(f"n{number}", results, problems), shown=learner.get("called", ""))
    return summary


def result_of_row(id: str, row: Any) -> ExerciseResult:
    if isinstance(row, str):
        return result_like(id, row)
    result = class_result(id, **{name: value for name, value in row.items() if name != "also"})
    first, *others = result.checks
    told = first.model_copy(update={"message": first.message + row.get("also", "")})
    return result.model_copy(update={"checks": (told, *others)})


def told_of(name: str, summary: ClassSummary) -> str:
    """The table of a class, and what only its page shows."""
    topics = {"mistake": summary.misconceptions, "riddle": summary.unexplained}
    lines = [f"exercise {each.id}: {each.title}, in {each.unit}" for each in summary.exercises]
    lines += [
        f"{kind} in {each.exercise.id}: {each.message} By {', '.join(row.name for row in each.learners)}."
        for kind, found in topics.items()
        for each in found
    ]
    lines += [f"{row.name} is {row.aside}" for row in summary.rows if row.aside]
    lines += [f"{row.name} has no mark" for row in summary.rows if not row.is_mark]
    lines += [f"{row.name} has not begun" for row in summary.rows if not row.has_begun]
    return f"# {name}\n{table_of(summary)}-- on the page\n" + "".join(f"{line}\n" for line in lines)


def test_class_is_summed_up(golden: Callable[[Path, str], None]) -> None:
    classes = table(__file__, "classes.yml").items()
    golden(GOLDEN / "classes.txt", "\n".join(told_of(name, class_of(learners)) for name, learners in classes))


def test_records_are_not_kept() -> None:
    assert len(class_of([{"a": "formula"}] * 50).rows) == 50
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
