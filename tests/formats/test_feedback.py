"""`kata feedback`: pages in a zip, and Moodle's worksheet filled in; each only what is this learner's."""

from __future__ import annotations

import csv
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.classroom.results_file import read_results
from grader.formats.feedback import Feedback, filled, read_worksheet

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


def given(kata: Kata, place: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return kata("feedback", "out", "--course", "course", "--force", *arguments, cwd=place)


def read(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


def test_worksheet_comes_back_with_grades_in_proportion_and_all_else_as_it_was(place: Path, kata: Kata) -> None:
    done = given(kata, place, "--worksheet", "worksheet.csv")
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


def test_pages_lie_where_moodle_looks_for_each_participants(place: Path, kata: Kata) -> None:
    assert given(kata, place, "--worksheet", "worksheet.csv").returncode == 0
    with zipfile.ZipFile(place / "out" / "feedback.zip") as pack:
        pages = {name: pack.read(name).decode() for name in pack.namelist()}
    assert sorted(pages) == [
        "Ada Byron_9001_assignsubmission_file_/feedback.html",
        "Bo Chen_9002_assignsubmission_file_/feedback.html",
    ]
    ada, bo = (pages[name] for name in sorted(pages))
    assert "Ada Byron" in ada and "Bo Chen" not in ada and "Bo Chen" in bo and "Ada" not in bo


def test_without_a_worksheet_pages_are_called_by_the_ids(place: Path, kata: Kata) -> None:
    done = given(kata, place, "--to", "elsewhere")
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(place / "elsewhere" / "feedback.zip") as pack:
        assert sorted(pack.namelist()) == ["learner-1815.html", "learner-1816.html"]
    assert not (place / "elsewhere" / "moodle-worksheet.csv").exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("id,name\n1815,Ada Byron\n", "has no columns Identifier and Grade", id="a roster"),
        pytest.param(
            "Identificativo,Nome completo,Valutazione\nPartecipante9001,Ada Byron,\n",
            "as Moodle's grading worksheet has",
            id="a language that is not known",
        ),
        pytest.param(
            "Identifier,Full name,Grade,Maximum grade\nParticipant 9001,Ada Byron,,Pass/fail\n",
            "set the assignment's grade to points",
            id="no points",
        ),
    ],
)
def test_what_is_no_worksheet_is_one_sentence(text: str, told: str, place: Path, kata: Kata) -> None:
    (place / "odd.csv").write_text(text, "utf-8")
    done = given(kata, place, "--worksheet", "odd.csv", "--to", "nowhere")
    assert done.returncode == 2 and told in done.stderr and "Traceback" not in done.stderr
    assert not (place / "nowhere").exists()


def test_who_is_not_in_the_worksheet_is_named_and_the_others_get_theirs(place: Path, kata: Kata) -> None:
    (place / "part.csv").write_text("\n".join([TITLES, ROWS[1], ""]), "utf-8")
    done = given(kata, place, "--worksheet", "part.csv", "--to", "part")
    assert done.returncode == 0 and "Not in the worksheet, so they get nothing back: Ada Byron." in done.stderr
    assert [float(row["Grade"]) for row in read(place / "part" / "moodle-worksheet.csv")] == [10]


def test_forgetting_takes_the_zip_and_the_worksheet_away(place: Path, kata: Kata) -> None:
    assert given(kata, place, "--worksheet", "worksheet.csv").returncode == 0
    done = kata("forget", "out", "1815", "--dry-run", cwd=place)
    assert "feedback.zip" in done.stdout and "moodle-worksheet.csv" in done.stdout


WORKSHEETS = sorted((Path(__file__).parents[1] / "classroom" / "worksheets").glob("*.csv"))


@pytest.mark.parametrize("worksheet", WORKSHEETS, ids=[path.stem for path in WORKSHEETS])
def test_worksheet_comes_back_with_the_very_titles_of_its_language(worksheet: Path, tmp_path: Path) -> None:
    before = list(csv.reader(worksheet.read_text("utf-8-sig").splitlines()))
    text = filled(read_worksheet(worksheet), {"9001": Feedback(3.0, 4.0, "<p>3 / 4</p>")})
    after = list(csv.reader(text.splitlines()))
    assert after[0] == before[0]
    assert [(row[5], row[10]) for row in after[1:]] == [("7.5", "<p>3 / 4</p>"), ("", "old")]
    assert [row[:5] + row[6:10] for row in after] == [row[:5] + row[6:10] for row in before]


def test_german_worksheet_goes_to_the_participants_with_semicolons_as_it_came(place: Path, kata: Kata) -> None:
    german = (Path(__file__).parents[1] / "classroom" / "worksheets" / "german.csv").read_text("utf-8-sig")
    rows = list(csv.reader(german.replace("0815", "1815").replace("0816", "1816").splitlines()))
    with (place / "german.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=";").writerows(rows)
    done = given(kata, place, "--worksheet", "german.csv", "--to", "german")
    assert done.returncode == 0, done.stderr
    with (place / "german" / "moodle-worksheet.csv").open(encoding="utf-8", newline="") as file:
        after = list(csv.DictReader(file, delimiter=";"))
    assert list(after[0]) == rows[0]
    assert [float(row["Bewertung"]) for row in after] == [2.5, 10]
    assert after[1]["Feedback als Kommentar"] == "<p>4 / 4</p>"
    with zipfile.ZipFile(place / "german" / "feedback.zip") as pack:
        assert "Bo Chen_9002_assignsubmission_file_/feedback.html" in pack.namelist()
