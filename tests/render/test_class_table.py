from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence

import pytest
from rich.cells import cell_len
from rich.console import Console

from grader.record import Record
from grader.render.class_summary import ClassSummary
from grader.render.class_table import LAST_ROWS, MOST_ROWS, print_class

Units = Sequence[tuple[str, Sequence[str]]]
MakeCrowd = Callable[[int, int], Iterator[Record]]

FEW = """\
submission                        points  passed  exercises  problems
noether                        7.3 / 7.3   2 / 2  ✓ ✓
lovelace                      7.5 / 21.5   2 / 6  ✓✗✓ ✗○·           2
mallory\\u202etxt.exe<script>       0 / 4   0 / 1  ✗                 1
hopper                           1 / 9 !   0 / 3  !  ! ·

✓ passed  ✗ failed  ○ not started  · missing  ! not graded
"""


@pytest.fixture
def few(class_records: list[Record], titles: Mapping[str, str], units: Units) -> ClassSummary:
    summary = ClassSummary(titles, units)
    for record in class_records:
        summary.add(record)
    return summary


@pytest.fixture(scope="module")
def many(make_crowd: MakeCrowd) -> ClassSummary:
    summary = ClassSummary({}, [])
    for record in make_crowd(1000, 40):
        summary.add(record)
    return summary


def printed(summary: ClassSummary, width: int = 80, encoding: str = "utf-8", rest: str = "") -> str:
    written = io.BytesIO()
    file = io.TextIOWrapper(written, encoding=encoding, newline="\n")
    print_class(summary, Console(file=file, width=width, color_system=None), rest=rest)
    file.flush()
    return "".join(line.rstrip() + "\n" for line in written.getvalue().decode(encoding).split("\n")[:-1])


def flowing(text: str) -> str:
    """The text without its line breaks."""
    return " ".join(text.split())


def test_few_learners_have_a_row_each(few: ClassSummary) -> None:
    assert printed(few).startswith(FEW)


def test_class_tells_its_averages_last_and_who_was_not_graded(few: ClassSummary) -> None:
    text = flowing(printed(few))
    assert "! Not fully graded, by the grader's own fault: hopper" in text
    assert text.endswith(
        "Mean 44.96, median 34.88 percent of the points, over 3 submissions; left out: 1 submission not fully graded."
    )


def test_hardest_exercises_are_told_with_the_check_most_missed(small_class: ClassSummary) -> None:
    text = flowing(printed(small_class))
    assert (
        "Hardest exercises Repair: weights used before they exist: passed by 0 of 10 who tried "
        "10 miss “The document's example comes out.” Softmax under a mask: passed by 3 of 10 who tried" in text
    )
    assert "Split into heads: passed by 8 of 10 who tried 2 failed every check for one reason" in text
    assert "! Nearly nobody passes Repair: weights used before they exist" in text


def test_what_to_explain_is_told_in_words(small_class: ClassSummary) -> None:
    assert (
        "What to explain on Monday "
        "1. Softmax under a mask: 7 of the 10 learners who tried mask-after-softmax was made. "
        "2. Scores divided by √d: 2 of the 10 learners who tried not-scaled was made." in flowing(printed(small_class))
    )


def test_who_has_no_mark_is_told(small_class: ClassSummary) -> None:
    text = flowing(printed(small_class))
    assert "Could not be read: zip (This is not a zip file.)" in text
    assert "On the roster, but handed in nothing: Zoë Nobody" in text


def test_large_class_is_shortened_and_says_where_the_rest_is(many: ClassSummary) -> None:
    text = printed(many, rest="out/class.html")
    lines = text.splitlines()
    assert lines[0] == f"The {LAST_ROWS} learners with the fewest points, of 1000"
    assert f"{1000 - LAST_ROWS} more learners: out/class.html" in lines
    shown = [line for line in lines if line.startswith("learner-")]
    assert len(shown) == LAST_ROWS
    fewest = sorted(row.points for row in many.rows)[:LAST_ROWS]
    assert [float(line.split()[1]) for line in shown] == fewest
    assert len(lines) < 100


def test_chart_of_a_large_class_counts_everyone(many: ClassSummary) -> None:
    lines = printed(many).split("Learners by points\n")[1].split("\n\n")[0].splitlines()
    assert len(lines) == 10
    assert sum(int(line.split()[-1]) for line in lines) == 1000


def test_class_that_fits_is_not_shortened(make_crowd: MakeCrowd) -> None:
    summary = ClassSummary({}, [])
    for record in make_crowd(MOST_ROWS, 3):
        summary.add(record)
    text = printed(summary, rest="out/class.html")
    assert text.count("learner-") == MOST_ROWS
    assert "out/class.html" not in text


@pytest.mark.parametrize("width", [20, 40, 63, 64, 80])
def test_no_line_is_wider_than_the_terminal(width: int, few: ClassSummary, small_class: ClassSummary) -> None:
    for summary in (few, small_class):
        assert max(cell_len(line) for line in printed(summary, width).split("\n")) <= width
    assert "7.5 / 21.5" in printed(few, width)


def test_terminal_without_unicode_gets_plain_marks(few: ClassSummary, many: ClassSummary) -> None:
    text = printed(few, encoding="ascii")
    assert "+x+ xo-" in text
    assert "+ passed  x failed  o not started  - missing  ! not graded" in text
    assert "  ###" in printed(many, encoding="ascii")


def test_no_submissions_is_said() -> None:
    assert printed(ClassSummary({}, [])) == "No submissions.\n"


def test_nobody_but_absent_learners_is_said() -> None:
    summary = ClassSummary({}, [])
    summary.add_absent("Zoë")
    assert "On the roster, but handed in nothing: Zoë" in flowing(printed(summary))
