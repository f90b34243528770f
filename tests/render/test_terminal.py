"""A record in a terminal: whatever its width and encoding, and whatever a learner prints."""

from __future__ import annotations

import io
import re
import unicodedata
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from grader.record import CheckResult, ExerciseResult, Problem, Record
from grader.render.terminal import MESSAGE_LINES, NARROW, PROBLEMS, print_record

from .conftest import TITLES, UNITS, class_record, golden_record


def printed(
    record: Record, *, width: int = 80, encoding: str = "utf-8", colour: bool = False, verbose: bool = False, **how: Any
) -> str:
    """What a terminal of this width and encoding gets, blanks at line ends aside."""
    written = io.BytesIO()
    file = io.TextIOWrapper(written, encoding=encoding, newline="\n")
    console = Console(file=file, width=width, force_terminal=colour, color_system="truecolor" if colour else None)
    print_record(record, console, **{"titles": TITLES, "units": UNITS, "verbose": verbose, **how})
    file.flush()
    text = written.getvalue().decode(encoding)
    return "".join(line.rstrip() + "\n" for line in text.split("\n")[:-1])


def one_check(message: str, *, title: str = "It works.") -> Record:
    given = {"name": "test_it", "outcome": "failed", "points": 0.0, "max_points": 1.0, "visible": False}
    check = CheckResult.model_validate({**given, "title": title, "message": message})
    given = {"id": "softmax", "status": "failed", "points": 0.0, "max_points": 1.0, "seconds": 0.0}
    return class_record("someone", [ExerciseResult.model_validate({**given, "checks": (check,), "diagnosis": ()})])


POINTS = re.compile(r"\d+(\.\d+)? / \d+(\.\d+)?")


def test_no_line_ends_in_the_middle_of_points(half_done: Record) -> None:
    wide = POINTS.findall(printed(half_done, width=200, verbose=True))
    assert len(wide) > 10
    for width in range(NARROW, 100):
        assert len(POINTS.findall(printed(half_done, width=width, verbose=True))) == len(wide), width


@pytest.mark.parametrize("name", ["half_done", "hostile_text", "not_graded", "all_passed"])
def test_no_line_is_wider_than_the_terminal(name: str) -> None:
    for width in (12, 20, 30, 45, 46, 63, 64, 80, 200):
        text = printed(golden_record(name), width=width, verbose=True)
        assert max(cell_len(line) for line in text.split("\n")) <= width


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_terminal_without_unicode_gets_plain_marks(encoding: str, half_done: Record, hostile: Record) -> None:
    text = printed(half_done, encoding=encoding)
    for status in ("+ passed", "x failed", "o not started", "- missing", "##########", ".........."):
        assert status in text
    printed(hostile, encoding=encoding, verbose=True)


@pytest.mark.parametrize("colour", [False, True], ids=["plain", "colour"])
def test_learners_text_never_steers_the_terminal(colour: bool, hostile: Record) -> None:
    text = printed(hostile, colour=colour, titles={}, units=[])
    controls = {char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert controls <= {"\n", "\x1b"}
    assert colour or "\x1b" not in controls
    for sequence in ("\x1b[2J", "\x1b[31mred", "\x1b]"):
        assert sequence not in text
    assert "\\x1b[2J" in text and "mallory\\u202etxt.exe<script>" in text


def test_learners_text_is_never_markup(hostile: Record) -> None:
    assert "[bold]markup[/bold] :smile:" in printed(hostile, titles={}, units=[], width=200)
    titles, units = {"softmax": "[link=x]t"}, [("[/]", ["softmax"])]
    assert "[link=x]t" in printed(one_check("[/] [red", title="[/nonsense]"), titles=titles, units=units)


@pytest.mark.parametrize(
    "message",
    [
        pytest.param("line\n" * 100_000, id="many-lines"),
        pytest.param("x" * 1_000_000, id="one-long-line"),
        pytest.param("word " * 200_000, id="many-words"),
        pytest.param("\u202e" * 1_000_000, id="many-invisible"),
    ],
)
def test_message_takes_a_bounded_number_of_lines(message: str) -> None:
    text = printed(one_check(message))
    assert text.count("\n") <= MESSAGE_LINES + 10
    assert "..." in text


def test_many_problems_take_a_bounded_number_of_lines() -> None:
    problem = Problem(file="notes.txt", kind="unknown", message="No exercise has this name.")
    text = printed(golden_record("all_passed").model_copy(update={"problems": (problem,) * 5000}))
    assert text.count("notes.txt") == PROBLEMS
    assert f"... ({5000 - PROBLEMS} more)" in text
