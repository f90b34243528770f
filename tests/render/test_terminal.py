"""A record in a terminal: whatever its width and encoding, and whatever a learner prints."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Mapping, Sequence

import pytest
from rich.cells import cell_len
from rich.console import Console

from grader.record import CheckResult, CourseStamp, ExerciseResult, Problem, Record
from grader.render.terminal import MESSAGE_LINES, NARROW, PROBLEMS, print_record

Units = Sequence[tuple[str, Sequence[str]]]


def printed(
    record: Record,
    titles: Mapping[str, str],
    units: Units,
    *,
    width: int = 80,
    encoding: str = "utf-8",
    colour: bool = False,
    verbose: bool = False,
) -> str:
    """What a terminal of this width and encoding gets, blanks at line ends aside."""
    written = io.BytesIO()
    file = io.TextIOWrapper(written, encoding=encoding, newline="\n")
    console = Console(file=file, width=width, force_terminal=colour, color_system="truecolor" if colour else None)
    print_record(record, console, titles=titles, units=units, verbose=verbose)
    file.flush()
    text = written.getvalue().decode(encoding)
    return "".join(line.rstrip() + "\n" for line in text.split("\n")[:-1])


def one_check(message: str, *, title: str = "It works.") -> Record:
    check = CheckResult(
        name="test_it",
        title=title,
        outcome="failed",
        points=0.0,
        max_points=1.0,
        visible=False,
        message=message,
    )
    exercise = ExerciseResult(
        id="softmax", status="failed", points=0.0, max_points=1.0, checks=(check,), diagnosis=(), seconds=0.0
    )
    return Record.of(
        submission="someone",
        isolation="full",
        seed=1,
        course=CourseStamp(title="Attention Kata", version="0.1.0"),
        exercises=[exercise],
    )


POINTS = re.compile(r"\d+(\.\d+)? / \d+(\.\d+)?")


@pytest.mark.parametrize("width", range(NARROW, 100))
def test_no_line_ends_in_the_middle_of_points(
    width: int, half_done: Record, titles: Mapping[str, str], units: Units
) -> None:
    wide, narrow = (printed(half_done, titles, units, width=columns, verbose=True) for columns in (200, width))
    assert len(POINTS.findall(narrow)) == len(POINTS.findall(wide)) > 10


@pytest.mark.parametrize("name", ["half_done", "hostile", "not_graded", "all_passed"])
@pytest.mark.parametrize("width", [12, 20, 30, 45, 46, 63, 64, 80, 200])
def test_no_line_is_wider_than_the_terminal(
    name: str, width: int, request: pytest.FixtureRequest, titles: Mapping[str, str], units: Units
) -> None:
    text = printed(request.getfixturevalue(name), titles, units, width=width, verbose=True)
    assert max(cell_len(line) for line in text.split("\n")) <= width


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_terminal_without_unicode_gets_plain_marks(
    encoding: str, half_done: Record, hostile: Record, titles: Mapping[str, str], units: Units
) -> None:
    text = printed(half_done, titles, units, encoding=encoding)
    for status in ("+ passed", "x failed", "o not started", "- missing", "##########", ".........."):
        assert status in text
    printed(hostile, titles, units, encoding=encoding, verbose=True)


@pytest.mark.parametrize("colour", [False, True], ids=["plain", "colour"])
def test_learners_text_never_steers_the_terminal(colour: bool, hostile: Record) -> None:
    text = printed(hostile, {}, [], colour=colour)
    controls = {char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert controls <= {"\n", "\x1b"}
    assert colour or "\x1b" not in controls
    for sequence in ("\x1b[2J", "\x1b[31mred", "\x1b]"):
        assert sequence not in text
    assert "\\x1b[2J" in text
    assert "mallory\\u202etxt.exe<script>" in text


def test_learners_text_is_never_markup(hostile: Record) -> None:
    text = printed(hostile, {}, [], width=200)
    assert "[bold]markup[/bold] :smile:" in text
    printed(one_check("[/] [red", title="[/nonsense]"), {"softmax": "[link=x]t"}, [("[/]", ["softmax"])])


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
    text = printed(one_check(message), {}, [])
    assert text.count("\n") <= MESSAGE_LINES + 10
    assert "..." in text


def test_many_problems_take_a_bounded_number_of_lines(all_passed: Record) -> None:
    problem = Problem(file="notes.txt", kind="unknown", message="No exercise has this name.")
    text = printed(all_passed.model_copy(update={"problems": (problem,) * 5000}), {}, [])
    assert text.count("notes.txt") == PROBLEMS
    assert f"... ({5000 - PROBLEMS} more)" in text
