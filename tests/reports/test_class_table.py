from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import pytest
from rich.cells import cell_len
from rich.console import Console

from grader.reports.class_table import averages, print_class, render_class
from grader.results import Record

Units = Sequence[tuple[str, Sequence[str]]]

CLASS = """\
submission                        points  passed  exercises  problems
noether                        7.3 / 7.3   2 / 2  ✓ ✓
lovelace                      7.5 / 21.5   2 / 6  ✓✗✓ ✗○·           2
mallory\\u202etxt.exe<script>       0 / 4   0 / 1  ✗                 1
hopper                           1 / 9 !   0 / 3  !  ! ·

✓ passed  ✗ failed  ○ not started  · missing  ! not graded
Hardest: Scores divided by √d, passed by 0 of 1 who tried.
Mean 4.93, median 7.3 points, over 3 submissions; 1 submission not fully graded
left out.
"""


def printed(records: Sequence[Record], titles: Mapping[str, str], width: int = 80, encoding: str = "utf-8") -> str:
    written = io.BytesIO()
    file = io.TextIOWrapper(written, encoding=encoding, newline="\n")
    print_class(records, Console(file=file, width=width, color_system=None), titles=titles)
    file.flush()
    return "".join(line.rstrip() + "\n" for line in written.getvalue().decode(encoding).split("\n")[:-1])


def test_class_at_eighty_columns(class_records: list[Record], titles: Mapping[str, str]) -> None:
    assert printed(class_records, titles) == CLASS


@pytest.mark.parametrize("width", [20, 40, 63, 64, 80])
def test_no_line_is_wider_than_the_terminal(width: int, class_records: list[Record], titles: Mapping[str, str]) -> None:
    text = printed(class_records, titles, width)
    assert max(cell_len(line) for line in text.split("\n")) <= width
    assert "7.5 / 21.5" in text


def test_terminal_without_unicode_gets_plain_marks(class_records: list[Record], titles: Mapping[str, str]) -> None:
    text = printed(class_records, titles, encoding="ascii")
    assert "+x+ xo-" in text
    assert "+ passed  x failed  o not started  - missing  ! not graded" in text


def test_no_submissions_is_said(titles: Mapping[str, str]) -> None:
    assert printed([], titles) == "No submissions.\n"
    assert "No submissions." in render_class([], titles=titles, units=[], links={})


@pytest.mark.parametrize(
    ("names", "told"),
    [
        pytest.param(["all_passed"], "Mean 7.3, median 7.3 of 7.3 points, over 1 submission.", id="one"),
        pytest.param(
            ["all_passed", "half_done"],
            "Mean 7.4, median 7.4 points, over 2 submissions.",
            id="different-worth",
        ),
        pytest.param(["not_graded"], "No averages; 1 submission not fully graded left out.", id="none-graded"),
    ],
)
def test_averages_leave_out_what_is_no_mark(names: list[str], told: str, request: pytest.FixtureRequest) -> None:
    assert averages([request.getfixturevalue(name) for name in names]) == told


def test_page_has_a_row_a_submission(class_records: list[Record], titles: Mapping[str, str], units: Units) -> None:
    page = render_class(class_records, titles=titles, units=units, links={"lovelace": "pages/lovelace.html"})
    assert page.count('<th scope="row"') == len(class_records) + 1
    assert '<a href="./pages/lovelace.html">lovelace</a>' in page
    assert page.count("<a ") == 1
    assert "Softmax under a mask: failed, 0.5 / 5" in page


@pytest.mark.parametrize(
    ("link", "href"),
    [
        pytest.param("a b&c.html", "./a%20b%26c.html", id="quoted"),
        pytest.param("./lovelace.html", "./lovelace.html", id="already-relative"),
        pytest.param("javascript:alert(1)", "./javascript%3Aalert%281%29", id="script"),
        pytest.param("//evil.example/x", "./evil.example/x", id="other-host"),
        pytest.param("x.html?q#f", "./x.html%3Fq%23f", id="query"),
        pytest.param("王.html", "./%E7%8E%8B.html", id="any-script"),
    ],
)
def test_links_stay_beside_the_page(link: str, href: str, half_done: Record) -> None:
    page = render_class([half_done], titles={}, units=[], links={"lovelace": link})
    assert f'<a href="{href}">' in page
