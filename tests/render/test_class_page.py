from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from grader.record import Record
from grader.render import class_page
from grader.render.class_page import NAMED_FIRST, in_ranges, relative, render_class
from grader.render.class_summary import ClassSummary

Make = Callable[..., Any]
MakeCrowd = Callable[[int, int], Iterator[Record]]


@pytest.fixture(scope="module")
def html(small_class: ClassSummary) -> str:
    return render_class(small_class)


def rows_of(html: str, caption: str) -> list[str]:
    """The texts of a table's rows, by the beginning of its caption."""
    table = re.search(rf'<caption class="unseen">{caption}.*?</table>', html, re.DOTALL)
    assert table
    body = table[0].split("<tbody>")[1]
    return [re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", row)).strip() for row in body.split("<tr>")[1:]]


def test_only_script_is_the_pages_own_and_the_policy_knows_it(html: str, read_page: Make) -> None:
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert "<!--" not in script
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = next(attrs["content"] for tag, attrs in read_page(html).elements if "http-equiv" in attrs)
    assert f"script-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline';")
    assert sum(tag == "script" for tag, _ in read_page(html).elements) == 1


def test_script_never_makes_markup_of_text(html: str) -> None:
    script = html.split("<script>")[1]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(", script)


def test_class_is_all_text_so_that_it_reads_without_a_script(html: str, read_page: Make) -> None:
    text = read_page(html).text
    for told in (
        "12 submissions",
        "Mean 12.5, median 13 of 18 points, over 10 submissions; left out: 1 submission not fully graded and "
        "1 submission that could not be read.",
        "The check that most learners miss: “The document's example comes out.” (Repair: weights used before they "
        "exist), missed by 10 of 10 who tried.",
        "7 of the 10 learners who tried mask-after-softmax was made.",
        "Nearly nobody passes Repair: weights used before they exist: 0 of 10 who tried.",
        "Not fully graded, by the grader's own fault: 1 learner.",
        "Could not be read: 1 submission.",
        "zip: This is not a zip file.",
        "On the roster, but handed in nothing: 1 learner.",
        "Zoë Nobody",
        "Files that could not be taken: 2 learners",
        "Sorting and filtering need JavaScript.",
    ):
        assert told in text


def test_exercises_tell_pass_rate_and_the_check_most_missed(html: str) -> None:
    assert rows_of(html, "Exercises") == [
        "1 Softmax by hand 100 % 10 10 10 passed 1 missing 1 not graded",
        "2 Scores divided by √d 80 % 8 10 8 passed 2 failed 1 missing 1 not graded "
        "The weights keep the scores&#39; dtype. missed by 2",
        "3 Repair: weights used before they exist nearly nobody passes 0 % 0 10 10 failed 1 missing 1 not graded "
        "The document&#39;s example comes out. missed by 10",
        "4 Causal mask \u2013 0 0 5 not started 6 missing 1 not graded",
        "5 Softmax under a mask 30 % 3 10 3 passed 7 failed 1 missing 1 not graded "
        "Each weight is the score&#39;s part of its row. missed by 7",
        "6 Split into heads 80 % 8 10 8 passed 2 failed 1 missing 1 not graded 2 failed every check for one reason",
    ]


def test_misconceptions_come_by_number_with_links_to_the_learners(html: str) -> None:
    first, second = rows_of(html, "Known mistakes")
    assert first.startswith("7 70 % 5. Softmax under a mask mask-after-softmax was made. 7 learners Ada Lovelace , ")
    assert first.endswith(", and no. 6-7")
    assert second == "2 20 % 2. Scores divided by √d not-scaled was made. 2 learners Ada Lovelace , 林美玲"
    listed = html.split("Known mistakes and")[1].split("</table>")[0]
    assert re.findall(r'href="\./learner-(\d+)\.html"', listed) == [
        "0001",
        "0002",
        "0003",
        "0004",
        "0005",
        "0001",
        "0002",
    ]


def test_every_learner_has_a_row_with_a_link_and_marks_by_unit(html: str, small_class: ClassSummary) -> None:
    rows = rows_of(html, "Learners")
    assert len(rows) == 12
    assert rows[0] == "1 Ada Lovelace ada 12 2 3 1 ✓ ✗✗ ○✗ ✓"
    assert "not fully graded" in rows[10] and rows[10].endswith("! !! !! !")
    assert "could not be read" in rows[11] and rows[11].endswith("· ·· ·· ·")
    table = html.split('id="table"')[1].split("</table>")[0]
    assert re.findall(r'href="\./learner-(\d+)\.html"', table) == [f"{n:04d}" for n in range(1, 13)]


def test_names_are_isolated_escaped_and_without_tricks(html: str) -> None:
    assert "<bdi>محمد بن عبد الله</bdi>" in html
    assert "<bdi>&lt;b&gt;Mark&lt;/b&gt; &amp; &#34;Söhne&#34;</bdi>" in html
    assert "<bdi>gpj\\u202eexe</bdi>" in html
    assert "\u202e" not in html


def test_learner_without_a_page_has_a_name_and_no_link(make_record: Make, make_result: Make) -> None:
    summary = ClassSummary({}, [])
    summary.add(make_record("ada", [make_result("a")]))
    assert '<th scope="row" class="who"><bdi>ada</bdi></th>' in render_class(summary)


def test_class_of_absent_learners_alone_is_told(read_page: Make) -> None:
    summary = ClassSummary({}, [])
    summary.add_absent("Zoë")
    assert "On the roster, but handed in nothing: 1 learner." in read_page(render_class(summary)).text


def test_no_submissions_is_said(read_page: Make) -> None:
    assert "No submissions." in read_page(render_class(ClassSummary({}, []))).text


def test_isolation_other_than_full_is_told(half_done: Record) -> None:
    summary = ClassSummary({}, [])
    summary.add(half_done.model_copy(update={"isolation": "reduced"}))
    assert "Isolation: reduced (no namespaces; chosen by whoever graded)." in render_class(summary)


def test_same_class_gives_the_same_page(small_class: ClassSummary, html: str) -> None:
    assert render_class(small_class) == html


def test_page_of_a_thousand_learners_stays_small(make_crowd: MakeCrowd) -> None:
    summary = ClassSummary({}, [])
    for number, record in enumerate(make_crowd(1000, 40), 1):
        summary.add(record, shown=f"Some Learner {number}", link=f"learner-{number:04d}.html")
    html = render_class(summary)
    assert html.count('<th scope="row" class="who">') == 1000
    assert len(html.encode()) < 800_000


def test_class_too_large_for_a_browser_lists_those_with_the_fewest_points(
    monkeypatch: pytest.MonkeyPatch, make_record: Make, make_result: Make, read_page: Make
) -> None:
    monkeypatch.setattr(class_page, "MOST_LISTED", 5)
    monkeypatch.setattr(class_page, "MOST_NUMBERED", 7)
    summary = ClassSummary({}, [])
    for number in range(20):
        wrong = make_result("a", "failed", missed=["test_dtype"], mistakes=["one"])
        summary.add(make_record(f"learner-{number + 1}", [make_result("a") if number < 8 else wrong]))
    html = render_class(summary)
    text = read_page(html).text
    assert [row.split()[0] for row in rows_of(html, "Learners")] == ["9", "10", "11", "12", "13"]
    assert "Here are the 5 learners with the fewest points, of 20." in text
    assert "learner-13, and no. 14-15 and 5 more" in text
    assert "12 of the 20 learners who tried" in text


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        pytest.param([], "", id="none"),
        pytest.param([7], "7", id="one"),
        pytest.param([1, 2, 3, 5, 8, 9], "1-3, 5, 8-9", id="ranges"),
    ],
)
def test_numbers_are_told_in_ranges(numbers: list[int], text: str) -> None:
    assert in_ranges(numbers) == text


@pytest.mark.parametrize(
    ("path", "address"),
    [
        pytest.param("a b&c.html", "./a%20b%26c.html", id="quoted"),
        pytest.param("./lovelace.html", "./lovelace.html", id="already-relative"),
        pytest.param("javascript:alert(1)", "./javascript%3Aalert%281%29", id="script"),
        pytest.param("//evil.example/x", "./evil.example/x", id="other-host"),
        pytest.param("x.html?q#f", "./x.html%3Fq%23f", id="query"),
        pytest.param("王.html", "./%E7%8E%8B.html", id="any-script"),
    ],
)
def test_links_stay_beside_the_page(path: str, address: str, half_done: Record) -> None:
    assert relative(path) == address
    summary = ClassSummary({}, [])
    summary.add(half_done, link=path)
    assert f'<a href="{address}">' in render_class(summary)


def test_long_list_names_the_first_and_numbers_the_rest(make_record: Make, make_result: Make, read_page: Make) -> None:
    summary = ClassSummary({}, [])
    for number in range(NAMED_FIRST + 4):
        wrong = make_result("a", "failed", missed=["test_dtype"], mistakes=["one"])
        summary.add(make_record(f"learner-{number + 1}", [wrong]))
    assert (
        f"learner-{NAMED_FIRST}, and no. {NAMED_FIRST + 1}-{NAMED_FIRST + 4}" in read_page(render_class(summary)).text
    )
