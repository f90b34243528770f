from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Mapping, Sequence

import pytest
from rich.cells import cell_len
from rich.console import Console

from grader.record import CheckResult, CourseStamp, ExerciseResult, Isolation, Problem, Record
from grader.render.terminal import MESSAGE_LINES, NARROW, PROBLEMS, print_record

Units = Sequence[tuple[str, Sequence[str]]]

HALF_DONE = """\
Attention Kata: lovelace

1. Soft lookup  4 / 4
  ✓ passed       Softmax by hand                               4 / 4  ██████████

2. Self-attention  3 / 7
  ✗ failed       Scores divided by √d                          0 / 3  ░░░░░░░░░░
      ✗ Scores are products divided by √d.  0 / 2
      ✗ Any leading shape works.  0 / 0.5
        04_scaled_scores.py, line 9
            scale = key.shape[-1] ** -0.5)
                                         ^
        SyntaxError: unmatched ')'
      1 check not run.
  ✓ passed       Repair: weights used before they exist        3 / 4  ███████░░░
      ✗ Only the broken line was changed.  0 / 1
        14 lines differ from the file as given; one is enough.

3. Masks and dropout  0.5 / 5
  ✗ failed       Softmax under a mask                        0.5 / 5  █░░░░░░░░░
      ✗ A later token gets no weight.  0 / 3
        The weights differ from the expected ones in 6 of 16 places, first at
        [0, 1].
          expected  0.0000
          yours     0.1377
        The query here had 4 tokens, the mask hides everything above the
        diagonal.
      ✗ Every row of weights sums to 1.  0 / 1
        Row 0 sums to 0.8623.
      Probably: These are the weights you get when the mask is applied after the
      softmax.

4. Heads  0 / 3
  ○ not started  Split into heads                              0 / 3  ░░░░░░░░░░

Other exercises  0 / 2.5
  · missing      repeat_kv                                   0 / 2.5  ░░░░░░░░░░

2 problems with the files handed in
  ! work/03_softmax (1).py: unknown. No exercise has this name; a file is named
    like 03_softmax.py or softmax.py.
  ! old/causal_mask.py: duplicate. There is more than one file for causal_mask,
    so none was graded.

7.5 of 21.5 points, 2 of 6 exercises passed
Isolation: full. The same inputs again with --seed 20230917
"""


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


def test_report_at_eighty_columns(half_done: Record, titles: Mapping[str, str], units: Units) -> None:
    assert printed(half_done, titles, units) == HALF_DONE


def test_colour_adds_no_meaning(half_done: Record, titles: Mapping[str, str], units: Units) -> None:
    coloured = printed(half_done, titles, units, colour=True)
    assert "\x1b[" in coloured
    for status in ("✓ passed", "✗ failed", "○ not started", "· missing"):
        assert status in printed(half_done, titles, units)


def test_verbose_shows_passed_checks_and_what_they_wait_for(
    half_done: Record, titles: Mapping[str, str], units: Units
) -> None:
    text = printed(half_done, titles, units, width=100, verbose=True)
    assert "✓ The document's example comes out.  1 / 1" in text
    assert "✓ The weights keep the scores' dtype.  0 / 0.5  (counts once the main check passes)" in text
    assert "The document's example" not in printed(half_done, titles, units, width=100)


POINTS = re.compile(r"\d+(\.\d+)? / \d+(\.\d+)?")


@pytest.mark.parametrize("width", range(NARROW, 100))
def test_no_line_ends_in_the_middle_of_points(
    width: int, half_done: Record, titles: Mapping[str, str], units: Units
) -> None:
    wide, narrow = (printed(half_done, titles, units, width=columns, verbose=True) for columns in (200, width))
    assert len(POINTS.findall(narrow)) == len(POINTS.findall(wide)) > 10


def test_what_was_not_graded_is_no_zero(not_graded: Record, titles: Mapping[str, str], units: Units) -> None:
    text = printed(not_graded, titles, units, width=120)
    assert "! not graded" in text
    assert "it is not a zero" in text
    assert "2 exercises could not be graded, so these points are not a mark." in text


@pytest.mark.parametrize(
    ("isolation", "shown"),
    [
        ("full", "Isolation: full."),
        ("reduced", "Isolation: reduced (no namespaces"),
        ("process", "no wall, so not a grade"),
        ("none", "no wall, so not a grade"),
    ],
)
def test_isolation_and_seed_are_told(isolation: Isolation, shown: str, all_passed: Record) -> None:
    text = printed(all_passed.model_copy(update={"isolation": isolation}), {}, [], width=120)
    assert shown in text
    assert "again with --seed 1882" in text


@pytest.mark.parametrize("name", ["half_done", "hostile", "not_graded", "all_passed"])
@pytest.mark.parametrize("width", [12, 20, 30, 45, 46, 63, 64, 80, 200])
def test_no_line_is_wider_than_the_terminal(
    name: str, width: int, request: pytest.FixtureRequest, titles: Mapping[str, str], units: Units
) -> None:
    text = printed(request.getfixturevalue(name), titles, units, width=width, verbose=True)
    assert max(cell_len(line) for line in text.split("\n")) <= width


@pytest.mark.parametrize("width", [30, 45])
def test_narrow_terminal_still_gets_words_and_points(
    width: int, half_done: Record, titles: Mapping[str, str], units: Units
) -> None:
    text = printed(half_done, titles, units, width=width)
    assert "✗ Scores divided by √d\n  failed, 0 / 3\n" in text


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


def test_record_without_exercises_prints() -> None:
    record = Record.of(
        submission="empty", isolation="full", seed=1, course=CourseStamp(title="T", version="1"), exercises=[]
    )
    assert "0 of 0 points, 0 of 0 exercises passed" in printed(record, {}, [])
