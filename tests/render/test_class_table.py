"""The overview of a class in a terminal of any width, and of a class of any size."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import pytest
from rich.cells import cell_len
from rich.console import Console

from grader.record import Record
from grader.render.class_summary import ClassSummary
from grader.render.class_table import LAST_ROWS, print_class

MakeCrowd = Callable[[int, int], Iterator[Record]]


def class_of(records: Iterator[Record]) -> ClassSummary:
    summary = ClassSummary({}, [])
    for record in records:
        summary.add(record)
    return summary


@pytest.fixture(scope="module")
def many(make_crowd: MakeCrowd) -> ClassSummary:
    return class_of(make_crowd(1000, 40))


def printed(summary: ClassSummary, width: int = 80, encoding: str = "utf-8", rest: str = "") -> str:
    written = io.BytesIO()
    file = io.TextIOWrapper(written, encoding=encoding, newline="\n")
    print_class(summary, Console(file=file, width=width, color_system=None), rest=rest)
    file.flush()
    return "".join(line.rstrip() + "\n" for line in written.getvalue().decode(encoding).split("\n")[:-1])


def test_large_class_is_shortened_and_says_where_the_rest_is(many: ClassSummary) -> None:
    lines = printed(many, rest="out/class.html").splitlines()
    assert lines[0] == f"The {LAST_ROWS} learners with the fewest points, of 1000"
    assert f"{1000 - LAST_ROWS} more learners: out/class.html" in lines
    shown = [line for line in lines if line.startswith("learner-")]
    assert [float(line.split()[1]) for line in shown] == sorted(row.points for row in many.rows)[:LAST_ROWS]
    assert len(lines) < 100


def test_chart_of_a_large_class_counts_everyone(many: ClassSummary) -> None:
    lines = printed(many).split("Learners by points\n")[1].split("\n\n")[0].splitlines()
    assert len(lines) == 10
    assert sum(int(line.split()[-1]) for line in lines) == 1000


@pytest.mark.parametrize("width", [20, 40, 63, 80])
def test_no_line_is_wider_than_the_terminal(width: int, small_class: ClassSummary) -> None:
    assert max(cell_len(line) for line in printed(small_class, width).split("\n")) <= width


def test_terminal_without_unicode_gets_plain_marks(small_class: ClassSummary, many: ClassSummary) -> None:
    text = printed(small_class, encoding="ascii")
    assert "+xxox+" in text
    assert "+ passed  x failed  o not started  - missing  ! not graded" in text
    assert "  ###" in printed(many, encoding="ascii")


def test_final_points_stand_beside_the_graded_ones(late: Record) -> None:
    text = " ".join(printed(class_of(iter([late]))).split())
    assert text.startswith("submission points graded passed exercises noether 6.2 / 4 7 2 / 2")


def test_class_without_submissions_is_told() -> None:
    summary = ClassSummary({}, [])
    assert printed(summary) == "No submissions.\n"
    summary.add_absent("Zoë")
    assert "On the roster, but handed in nothing: Zoë" in printed(summary)
