"""A class summed up: counts, what to explain, what may be unfair, the spread of points; and printed at any width."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from grader.record import Record
from grader.render import pages
from grader.render.class_summary import ClassSummary
from grader.render.class_table import print_class
from grader.render.pages import render_class

from ..cases import table
from ..transcripts.typed import text_of
from .conftest import crowd, printed, summary_of

GOLDEN = Path(__file__).parent / "golden"
NAMES = {"a": "First", "b": "Second"}
LONE_NUMBER = re.compile(r"[\d.]+")  # of the chart, whose description says them too


def test_class_is_summed_up(golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """In the terminal and on the page, which names no more learners than can be read."""
    monkeypatch.setattr(pages, "MOST_NAMED", 7)
    told = []
    for name, learners in table(__file__, "classes.yml").items():
        summary = summary_of(learners, NAMES, [("One", ["a"]), ("Two", ["b"])])
        page = [line for line in text_of(render_class(summary)).splitlines() if not LONE_NUMBER.fullmatch(line)]
        told.append("\n".join((f"# {name}", f"{table_of(summary)}-- on the page", *page, "")))
    golden(GOLDEN / "classes.txt", "\n".join(told))


def test_records_are_not_kept() -> None:
    assert len(summary_of([{"a": "formula"}] * 50, NAMES, []).rows) == 50
    gc.collect()
    kept = {each.submission for each in gc.get_objects() if isinstance(each, Record)}
    assert not {f"n{number}" for number in range(50)} & kept


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
