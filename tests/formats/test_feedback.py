"""Feedback to learners: pages in a zip, and Moodle's worksheet filled in; each only what is this learner's."""

from __future__ import annotations

import csv
import html
import io
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.results import read_results
from grader.classroom.roster import Learner, read_roster
from grader.course import load_course
from grader.errors import KataError

from .conftest import CASES, exercise, record

Kata = Callable[..., "subprocess.CompletedProcess[str]"]

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts / amounts.sum()\n"
TITLES = (
    "Identifier,Full name,ID number,Email address,Status,Grade,Maximum grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments"
)
ROWS = (
    'Participant 9001,Ada Byron,1815,ada@x.example,Submitted,,"10,00",Yes,"Sunday, 1 March 2026, 12:14 PM",-,',
    'Participant 9002,Bo Chen,1816,bo@x.example,Submitted,3.00,"10,00",Yes,"Sunday, 1 March 2026, 12:15 PM",-,old',
    'Participant 9003,Cy Dee,1817,cy@x.example,No submission,,"10,00",Yes,-,-,',
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path], kata: Kata) -> Path:
    """A download of Moodle's, of two learners, graded with the worksheet; a third handed in nothing."""
    place = tmp_path_factory.mktemp("moodle")
    make_course(place / "course", "01_parts/01_share")
    (place / "worksheet.csv").write_text("\n".join([TITLES, *ROWS, ""]), "utf-8")
    for name, source in (("Ada Byron_9001", WRONG), ("Bo Chen_9002", RIGHT)):
        (place / "class" / f"{name}_assignsubmission_file_").mkdir(parents=True)
        (place / "class" / f"{name}_assignsubmission_file_" / "share.py").write_text(source, "utf-8")
    how = ("--course", "course", "--isolation", "best", "--jobs", 1)
    done = kata("grade-class", "class", "--out", "out", "--roster", "worksheet.csv", *how, cwd=place)
    assert done.returncode == 0, done.stderr
    return place


def export(kata: Kata, place: Path, format: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return kata("export", "out", "--course", "course", "--force", "--format", format, *arguments, cwd=place)


def read(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


def test_worksheet_comes_back_with_grades_in_proportion_and_all_else_as_it_was(place: Path, kata: Kata) -> None:
    done = export(kata, place, "moodle-feedback")
    assert done.returncode == 0, done.stderr
    assert "written in proportion" in done.stderr
    points = [each.record.points for each in read_results(place / "out")]
    before, after = read(place / "worksheet.csv"), read(place / "out" / "moodle-worksheet.csv")
    assert list(after[0]) == TITLES.split(",")
    assert [float(row["Grade"]) for row in after[:2]] == pytest.approx([points[0] * 10 / 4, 10])
    assert after[2] == before[2], "who handed in nothing is left as they are"
    changed = {"Grade", "Feedback comments"}
    assert [{k: v for k, v in row.items() if k not in changed} for row in after] == [
        {k: v for k, v in row.items() if k not in changed} for row in before
    ]
    assert after[0]["Feedback comments"].startswith("<p>1 / 4</p><p>Parts of a whole (share): 1 / 4.")
    assert after[1]["Feedback comments"] == "<p>4 / 4</p>"


def test_each_page_in_the_zip_is_one_learners_where_moodle_looks_for_it(place: Path, kata: Kata) -> None:
    done = export(kata, place, "pages")
    paths = [f"{name}_assignsubmission_file_/feedback.html" for name in ("Ada Byron_9001", "Bo Chen_9002")]
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(place / "out" / "pages.zip") as pack:
        pages = {name: pack.read(name).decode() for name in pack.namelist()}
    assert sorted(pages) == paths
    ada, bo = (pages[name] for name in paths)
    assert "Ada Byron" in ada and "Bo Chen" not in ada and "Bo Chen" in bo and "Ada" not in bo


@pytest.fixture
def listed(tmp_path: Path, tiny_course: Path) -> Callable[[str], tuple[Learner, ...]]:
    """The learners of a class that was graded with this roster."""

    def learners(text: str) -> tuple[Learner, ...]:
        (tmp_path / "given.csv").write_text(text, "utf-8")
        return read_roster(tmp_path / "given.csv", load_course(tiny_course / "course.yml"))

    return learners


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("id,name\n1815,Ada Byron\n", "has no columns Identifier and Grade", id="another roster"),
        pytest.param(
            "Identifier,Full name,Grade,Maximum grade\nParticipant 9001,1815,,Pass/fail\n",
            "set the assignment's grade to points",
            id="no points",
        ),
        pytest.param("", "Grade with --roster FILE, the assignment's grading worksheet", id="no roster"),
    ],
)
def test_what_is_no_worksheet_is_one_sentence(
    text: str, told: str, listed: Callable[..., Any], exported: Callable[..., Any]
) -> None:
    with pytest.raises(KataError, match=told):
        exported("moodle-feedback", record("1815"), learners=listed(text) if text else ())


def test_who_is_not_in_the_worksheet_is_named_and_the_others_get_theirs(
    listed: Callable[..., Any],
    exported: Callable[..., Any],
    said: list[str],
    tmp_path: Path,
) -> None:
    exported("pages", record("Ada"), record("1816"), learners=listed("\n".join([TITLES, ROWS[1], ""])))
    with zipfile.ZipFile(tmp_path / "exported" / "pages.zip") as pack:
        (page,) = pack.namelist()
    assert page == "Bo Chen_9002_assignsubmission_file_/feedback.html"
    assert "Not in the worksheet, so they get nothing back: Ada." in said


def test_forgetting_names_the_worksheet_that_still_holds_them(place: Path, kata: Kata, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(place, tmp_path / "place"))
    assert export(kata, copy, "moodle-feedback").returncode == 0
    done = kata("forget", "out", "1815", cwd=copy)
    assert done.returncode == 0, done.stderr
    assert "out/moodle-worksheet.csv still holds one of these names" in done.stdout


@pytest.mark.parametrize("case", CASES["comments"].values(), ids=CASES["comments"])
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
) -> None:
    before = list(csv.reader(worksheet.read_text("utf-8-sig").splitlines()))
    given = io.StringIO()
    csv.writer(given, delimiter=delimiter).writerows(before)
    learners = listed(given.getvalue())
    files = exported("moodle-feedback", record(learners[0].id), learners=learners)
    after = list(csv.reader(files["moodle-worksheet.csv"].splitlines(), delimiter=delimiter))
    assert after[0] == before[0]
    assert [row[5] for row in after[1:]] == ["4.1667", ""], "5 of 12 points, out of 10 in Moodle"
    assert after[1][10].startswith("<p>5 / 12</p>") and after[2][10] == "old"
    assert [row[:5] + row[6:10] for row in after] == [row[:5] + row[6:10] for row in before]
