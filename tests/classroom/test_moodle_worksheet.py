"""Moodle's grading worksheet in several languages is a roster with times."""

from __future__ import annotations

import csv
from datetime import datetime, timezone
from pathlib import Path

import pytest

from grader.classroom.roster import Learner, read_roster
from grader.course import Course
from grader.errors import KataError

WORKSHEETS = sorted(Path(__file__).with_name("worksheets").glob("*.csv"))
"""Of Ada, who has handed in, and Bo, who has not, with the titles of Moodle's language packs."""
IDS = [path.stem for path in WORKSHEETS]
GERMAN = Path(__file__).with_name("worksheets") / "german.csv"


@pytest.mark.parametrize("delimiter", [",", ";"], ids=["comma", "semicolon"])
@pytest.mark.parametrize("worksheet", WORKSHEETS, ids=IDS)
def test_a_worksheet_is_a_roster_in_every_language(
    worksheet: Path, delimiter: str, tmp_path: Path, vienna: Course
) -> None:
    rows = csv.reader(worksheet.read_text("utf-8-sig").splitlines())
    with (tmp_path / "worksheet.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    found = read_roster(tmp_path / "worksheet.csv", vienna)
    assert found == (
        Learner("0815", "Ada Byron", "ada@x.example", ("0815",), "9001"),
        Learner("0816", "Bo Chen", "bo@x.example", ("0816",), "9002"),
    )
    noon = datetime(2026, 3, 1, 11, 14, tzinfo=timezone.utc)
    assert [each.hand_in.at for each in found] == [{"*": noon}, {}]


def test_a_time_that_is_none_is_told_and_nothing_is_guessed(vienna: Course, tmp_path: Path) -> None:
    odd = GERMAN.read_text("utf-8-sig").replace("Sonntag, 1. März", "Sonntag, 1. Lenz")
    (tmp_path / "worksheet.csv").write_text(odd, "utf-8")
    with pytest.raises(KataError, match=r"line 2: `Sonntag.* The column is `Zuletzt geändert \(Abgabe\)`\.$"):
        read_roster(tmp_path / "worksheet.csv", vienna)


@pytest.mark.parametrize(
    ("text", "id"),
    [
        pytest.param("ID,Name\nTeil 7,Ada\n", "Teil 7", id="an id like a participant's"),
        pytest.param("ID,Name,Bewertung\n7,Ada,3\n", "7", id="a German gradebook"),
        pytest.param("ID,Name,Note,Max\nGruppe 7,Ada,3,10\n", "Gruppe 7", id="grades beside a maximum, and no dates"),
        pytest.param("ID,Name,Note,Max,Datum\nadA,Ada,3,10,-\n", "adA", id="ids without numbers"),
    ],
)
def test_other_tables_with_some_of_the_columns_are_no_worksheets(
    text: str, id: str, tmp_path: Path, vienna: Course
) -> None:
    (tmp_path / "roster.csv").write_text(text, "utf-8")
    (ada,) = read_roster(tmp_path / "roster.csv", vienna)
    assert (ada.id, ada.participant) == (id, "")
