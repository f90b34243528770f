"""A record in a terminal: whatever its width and encoding, and whatever a learner prints."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import pytest
from rich.cells import cell_len

from grader.record import Problem, Record
from grader.render.terminal import BRIEF_LINES, NARROW, PROBLEMS, print_record

from ..cases import rows
from .conftest import (
    CASES,
    HALF_DONE,
    MALLORYS,
    TITLES,
    UNITS,
    check_of,
    class_record,
    golden_record,
    printed,
    result_of,
)


def shown(record: Record, *how: Any, colour: bool = False, **what: Any) -> str:
    given = {"titles": TITLES, "units": UNITS, **what}
    return printed(lambda console: print_record(record, console, **given), *how, colour=colour)


def one_check(message: str, title: str = "It works.") -> Record:
    return class_record("someone", [result_of(check_of("test_it", "failed", message, title=title))])


POINTS = re.compile(r"\d+(\.\d+)? / \d+(\.\d+)?")


def test_no_line_ends_in_the_middle_of_points() -> None:
    wide = POINTS.findall(shown(HALF_DONE, 200, verbose=True))
    assert len(wide) > 10
    for width in range(NARROW, 100):
        assert len(POINTS.findall(shown(HALF_DONE, width, verbose=True))) == len(wide), width


@pytest.mark.parametrize("name", ["half_done", "hostile_text", "not_graded", "all_passed"])
def test_no_line_is_wider_than_the_terminal(name: str) -> None:
    for width in (12, 20, 30, 45, 46, 63, 64, 80, 200):
        text = shown(golden_record(name), width, verbose=True)
        assert max(cell_len(line) for line in text.split("\n")) <= width


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_terminal_without_unicode_gets_plain_marks(encoding: str) -> None:
    text = shown(HALF_DONE, 80, encoding)
    for status in ("+ passed", "x failed", "o not started", "- missing", "##########", ".........."):
        assert status in text
    shown(MALLORYS, 80, encoding, verbose=True)


@pytest.mark.parametrize("colour", [False, True], ids=["plain", "colour"])
def test_learners_text_never_steers_the_terminal(colour: bool) -> None:
    text = shown(MALLORYS, colour=colour, titles={}, units=[])
    controls = {char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert controls <= {"\n", "\x1b"}
    assert colour or "\x1b" not in controls
    for sequence in ("\x1b[2J", "\x1b[31mred", "\x1b]"):
        assert sequence not in text
    assert "\\x1b[2J" in text and "mallory\\u202etxt.exe<script>" in text


def test_learners_text_is_never_markup() -> None:
    assert "[bold]markup[/bold] :smile:" in shown(MALLORYS, 200, titles={}, units=[])
    titles, units = {"softmax": "[link=x]t"}, [("[/]", ["softmax"])]
    assert "[link=x]t" in shown(one_check("[/] [red", "[/nonsense]"), titles=titles, units=units)


@rows(CASES["messages"], "message")
def test_message_takes_a_bounded_number_of_lines(message: str) -> None:
    text = shown(one_check(message))
    assert text.count("\n") <= BRIEF_LINES + 10
    assert "..." in text


def test_many_problems_take_a_bounded_number_of_lines() -> None:
    problem = Problem(file="notes.txt", kind="unknown", message="No exercise has this name.")
    text = shown(golden_record("all_passed").model_copy(update={"problems": (problem,) * 5000}))
    assert text.count("notes.txt") == PROBLEMS
    assert f"... ({5000 - PROBLEMS} more)" in text
