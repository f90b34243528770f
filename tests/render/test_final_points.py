"""What the course's policy made of points, as every report shows it."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from rich.console import Console

from grader.record import Record
from grader.render.class_page import render_class
from grader.render.class_summary import ClassSummary
from grader.render.class_table import print_class
from grader.render.class_topics import distribution
from grader.render.small_pages import render_record
from grader.render.terminal import print_record

GOLDEN = Path(__file__).parents[1] / "record" / "golden"
TITLES = {"softmax": "Softmax by hand", "rotary": "Rotary embedding"}
UNITS = [("1. Soft lookup", ["softmax"]), ("6. Beyond", ["rotary"])]


@pytest.fixture
def late() -> Record:
    return Record.from_json((GOLDEN / "late.json").read_text("utf-8"))


def in_terminal(show: Callable[[Console], None], width: int = 100) -> str:
    file = io.StringIO()
    show(Console(file=file, width=width, color_system=None))
    return " ".join(file.getvalue().split())


def class_of(records: Sequence[Record]) -> ClassSummary:
    summary = ClassSummary(TITLES, UNITS)
    for record in records:
        summary.add(record)
    return summary


@pytest.mark.parametrize("width", [pytest.param(100, id="wide"), pytest.param(30, id="narrow")])
def test_terminal_tells_both_sums_and_every_reason(late: Record, width: int) -> None:
    text = in_terminal(lambda console: print_record(late, console, titles=TITLES, units=UNITS), width)
    assert "Graded: 7 of 7 points" in text and "6.2 of 4 points, 2 of 2 exercises passed" in text
    assert "-0.8 Soft lookup was handed in 1 day and 3 hours after 1 March 2026, 12:00 UTC" in text
    assert "0 Beyond is extra credit" in text


def test_page_tells_both_sums_and_every_reason(late: Record, read_page: Callable[[str], object]) -> None:
    text = str(render_record(late, titles=TITLES, units=UNITS))
    assert "<b>6.2</b> of 4 points" in text and "Graded, of 7" in text and "Final, of 4" in text
    for adjustment in late.adjustments or ():
        assert adjustment.reason in text


def test_reason_is_shown_as_text_only(late: Record) -> None:
    told = (late.adjustments or ())[0].model_copy(update={"reason": "<script>alert(1)</script>\x1b[2J\u202e"})
    hostile = late.model_copy(update={"adjustments": (told, *(late.adjustments or ())[1:])})
    page = render_record(hostile, titles=TITLES, units=UNITS)
    text = in_terminal(lambda console: print_record(hostile, console, titles=TITLES, units=UNITS))
    assert "<script>" not in page and "&lt;script&gt;" in page
    assert not any(sign in page + text for sign in ("\x1b", "\u202e"))


def test_record_without_a_policy_says_nothing_of_one(all_passed: Record) -> None:
    text = in_terminal(lambda console: print_record(all_passed, console, titles={}, units=[]))
    page = render_record(all_passed, titles={}, units=[])
    table = in_terminal(lambda console: print_class(class_of([all_passed]), console))
    assert "Graded" not in text and "graded points" not in page and " graded " not in f"{table.split('✓')[0]} "


def test_class_goes_by_the_final_points_and_shows_the_graded_ones(late: Record) -> None:
    summary = class_of([late])
    (row,) = summary.rows
    assert (row.points, row.max_points, row.graded_points) == (6.2, 4.0, 7.0)
    table = in_terminal(lambda console: print_class(summary, console))
    assert table.startswith("submission points graded passed exercises noether 6.2 / 4 7 2 / 2")
    narrow = in_terminal(lambda console: print_class(summary, console), 40)
    assert "6.2 / 4 points (graded: 7), 2 / 2 passed" in narrow
    page = render_class(summary)
    assert ">Graded</th>" in page and "<td>6.2</td><td>7</td>" in page


def test_points_above_the_maximum_are_in_the_last_bin_and_in_full_in_the_mean(late: Record) -> None:
    spread = distribution(class_of([late]).rows)
    assert spread is not None
    assert [bin.count for bin in spread.bins] == [0] * 9 + [1]
    assert spread.mean == pytest.approx(6.2)
