"""Feedback to learners: pages in a zip, and Moodle's worksheet filled in; each only what is this learner's."""

from __future__ import annotations

import csv
import html
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.roster import Learner, read_roster
from grader.course import load_course
from grader.errors import KataError
from tests.cases import rows

from .conftest import CASES, exercise, record

TITLES, *ROWS = CASES["worksheet"]


@pytest.fixture
def listed(tmp_path: Path, tiny_course: Path) -> Callable[[str], tuple[Learner, ...]]:
    """The learners of a class that was graded with this roster."""

    def learners(text: str) -> tuple[Learner, ...]:
        (tmp_path / "given.csv").write_text(text, "utf-8")
        return read_roster(tmp_path / "given.csv", load_course(tiny_course / "course.yml"))

    return learners


@rows(CASES["no_worksheet"], "text", "told")
def test_what_is_no_worksheet_is_one_sentence(
    text: str, told: str, listed: Callable[..., Any], exported: Callable[..., Any]
) -> None:
    with pytest.raises(KataError, match=told):
        exported("moodle-feedback", record("1815"), learners=listed(text) if text else ())


@pytest.mark.parametrize(
    ("lines", "others"),
    [(ROWS, ["1815"]), (ROWS[1:], ["Ada"])],
    ids=["everybody", "somebody who is not in the worksheet"],
)
def test_each_page_in_the_zip_is_one_learners_where_moodle_looks_for_it(
    lines: list[str],
    others: list[str],
    listed: Callable[..., Any],
    exported: Callable[..., Any],
    said: list[str],
    tmp_path: Path,
) -> None:
    exported("pages", *map(record, others), record("1816"), learners=listed("\n".join([TITLES, *lines, ""])))
    with zipfile.ZipFile(tmp_path / "exported" / "pages.zip") as pack:
        pages = {
            name.removesuffix("_assignsubmission_file_/feedback.html"): pack.read(name).decode()
            for name in pack.namelist()
        }
    assert list(pages) == (["Ada Byron_9001", "Bo Chen_9002"] if lines is ROWS else ["Bo Chen_9002"])
    assert "Bo Chen" in pages["Bo Chen_9002"] and "Ada" not in pages["Bo Chen_9002"]
    assert "Ada Byron_9001" not in pages or "Bo Chen" not in pages["Ada Byron_9001"]
    assert ("Not in the worksheet, so they get nothing back: Ada." in said) == (lines is not ROWS)


@rows(CASES["comments"])
def test_comment_says_what_failed_and_why(
    case: dict[str, Any], listed: Callable[..., Any], exported: Callable[..., Any]
) -> None:
    learners = listed("\n".join([TITLES, ROWS[0], ""]))
    graded = exercise("softmax", case["points"], case.get("status"), case.get("message", "The rows differ."))
    if not case.get("named"):
        graded = graded.model_copy(update={"diagnosis": ()})
    files = exported("moodle-feedback", record("1815", graded), learners=learners)
    (row,) = csv.DictReader(files["moodle-worksheet.csv"].splitlines())
    line = f"<p>Softmax by hand: {html.escape(case['why'])}</p>" if case["why"] else ""
    assert row["Feedback comments"] == f"<p>{graded.points:g} / 4</p>" + line


WORKSHEETS = sorted((Path(__file__).parents[1] / "classroom" / "worksheets").glob("*.csv"))


@pytest.mark.parametrize("delimiter", [",", ";"], ids=["commas", "semicolons"])
@pytest.mark.parametrize("worksheet", WORKSHEETS, ids=[path.stem for path in WORKSHEETS])
def test_worksheet_comes_back_with_the_very_titles_of_its_language(
    worksheet: Path,
    delimiter: str,
    listed: Callable[..., Any],
    exported: Callable[..., Any],
    said: list[str],
) -> None:
    before = list(csv.reader(worksheet.read_text("utf-8-sig").splitlines()))
    given = io.StringIO()
    csv.writer(given, delimiter=delimiter).writerows(before)
    learners = listed(given.getvalue())
    files = exported("moodle-feedback", record(learners[0].id), learners=learners)
    after = list(csv.reader(files["moodle-worksheet.csv"].splitlines(), delimiter=delimiter))
    assert said == ["The assignment is worth something else in Moodle: grades are written in proportion."]
    assert after[0] == before[0]
    assert [row[5] for row in after[1:]] == ["4.1667", ""], "5 of 12 points, out of 10 in Moodle"
    assert after[1][10].startswith("<p>5 / 12</p>") and after[2][10] == "old"
    assert [row[:5] + row[6:10] for row in after] == [row[:5] + row[6:10] for row in before]
