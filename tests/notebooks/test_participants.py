"""Whose file it is, by Moodle's names, and which id nbgrader gets for it."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.notebooks.collecting.moodle_collector import (
    Listed,
    Participant,
    WorksheetError,
    handed_in,
    ids_of,
    learners_in,
    moment_of,
    safe_id,
)
from grader.notebooks.hand_in import fault_in

FILE = "assignsubmission_file_"


@pytest.mark.parametrize(
    ("where", "number", "name", "own"),
    [
        (f"zip/Anna Berg_1001_{FILE}/a.ipynb", "1001", "Anna Berg", "a.ipynb"),
        (f"zip/Anna Berg_1001_{FILE}/sub/a.ipynb", "1001", "Anna Berg", "sub/a.ipynb"),
        (f"Anna Berg_1001_{FILE}a_b.ipynb", "1001", "Anna Berg", "a_b.ipynb"),
        (f"Anna_van_Berg_1001_{FILE}a.ipynb", "1001", "Anna_van_Berg", "a.ipynb"),
        (f"O'Brien, Jr._7_{FILE}/a.ipynb", "7", "O'Brien, Jr.", "a.ipynb"),
        (f"A\u030ase_7_{FILE}/a.ipynb", "7", "\u00c5se", "a.ipynb"),
        (f"Eve_7_{FILE}Anna_1001_{FILE}a.ipynb", "7", "Eve", f"Anna_1001_{FILE}a.ipynb"),
        (f"Eve_7_{FILE}/Anna_1001_{FILE}/a.ipynb", "7", "Eve", f"Anna_1001_{FILE}/a.ipynb"),
        ("Anna_7_assignsubmission_onlinetext_/onlinetext.html", "7", "Anna", "onlinetext.html"),
    ],
    ids=[
        "folder",
        "inner folder",
        "flat",
        "underscores",
        "punctuation",
        "decomposed",
        "eve flat",
        "eve folder",
        "text",
    ],
)
def test_participant_is_read_from_the_path(where: str, number: str, name: str, own: str) -> None:
    found = handed_in(where)
    assert found is not None
    assert (found.participant, found.name) == (Participant(number, name), own)


@pytest.mark.parametrize(
    "where", ["a.ipynb", "Anna Berg/a.ipynb", f"Anna_{FILE}a.ipynb", f"_7_{FILE}a", "", f"Anna_x7_{FILE}/a.ipynb"]
)
def test_other_names_are_nobodys(where: str) -> None:
    assert handed_in(where) is None


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("Anna Berg", "Anna-Berg"),
        ("O'Brien, Jr.", "O-Brien-Jr"),
        ("Åse Ñandú", "Åse-Ñandú"),
        ("अनीता", "अनीता"),
        ("../../etc", "etc"),
        ("anna@example.org", "anna@example.org"),
        ("!!!", "learner"),
    ],
)
def test_id_is_readable(text: str, id: str) -> None:
    assert safe_id(text) == id


@pytest.mark.thorough
@given(st.text(), st.integers(0, 10**12 - 1))
def test_every_id_is_one_that_nbgrader_can_keep(text: str, number: int) -> None:
    assert fault_in(safe_id(text)) is None
    assert fault_in(f"{safe_id(text)}-{number}") is None


def people(**names: str) -> list[Participant]:
    return [Participant(number.removeprefix("n"), name) for number, name in names.items()]


def test_names_are_ids() -> None:
    ids = ids_of(people(n1="Anna Berg", n2="Bo Li"), {}, ())
    assert (ids.of, ids.warnings) == ({"1": "Anna-Berg", "2": "Bo-Li"}, ())


@pytest.mark.parametrize("other", ["Max Muster", "max muster", "Max, Muster"])
def test_people_of_one_name_have_their_number(other: str) -> None:
    ids = ids_of(people(n1="Max Muster", n2=other, n3="Bo"), {}, ())
    assert ids.of == {"1": "Max-Muster-1", "2": f"{safe_id(other)}-2", "3": "Bo"}
    assert len(ids.warnings) == 2 and "put Moodle's grading worksheet" in ids.warnings[0]


def test_one_of_two_who_share_a_name_elsewhere_is_not_a_third() -> None:
    ids = ids_of(people(n9="Max Muster"), {}, ["Max-Muster-1", "Max-Muster-2"])
    assert ids.of == {"9": "Max-Muster-9"} and len(ids.warnings) == 1


def test_worksheet_comes_before_names() -> None:
    ids = ids_of(people(n1="Max Muster", n2="Max Muster", n3="Bo Li"), {"1": "max1@x.org", "2": "max2@x.org"}, ())
    assert ids.of == {"1": "max1@x.org", "2": "max2@x.org", "3": "Bo-Li"}
    assert ids.warnings == ("Not in the grading worksheet, so called by their names: Bo Li.",)


def test_name_that_is_somebodys_listed_id_is_told_apart() -> None:
    ids = ids_of(people(n1="Anna", n2="Bo"), {"1": "Bo"}, ())
    assert ids.of == {"1": "Bo", "2": "Bo-2"}, "what another one is called takes nobody's listed id"


WORKSHEET = "Identifier,Full name,Email address,ID number\nParticipant 1,Max,m@x.org,\nParticipant 22,Bo,b@x.org,5\n"


def ids_in(content: bytes, column: str = "") -> dict[str, str]:
    listed = learners_in(content, column)
    assert listed is not None
    return {number: learner.id for number, learner in listed.items()}


def test_worksheet_gives_the_first_usual_column_that_is_filled() -> None:
    assert ids_in(WORKSHEET.encode()) == {"1": "m@x.org", "22": "b@x.org"}


def test_worksheet_tells_addresses_and_times() -> None:
    text = (
        "Identifier,Full name,Username,Email address,Status,Last modified (submission)\n"
        'Participant 1,Max,max,m@x.org,Submitted,"Sunday, 1 March 2026, 12:14 PM"\n'
        "Participant 2,Bo,bo,,No submission,-\n"
    )
    assert learners_in(text.encode()) == {
        "1": Listed("max", "m@x.org", "Sunday, 1 March 2026, 12:14 PM"),
        "2": Listed("bo"),
    }


@pytest.mark.parametrize(
    ("written", "utc"),
    [
        pytest.param("Sunday, 1 March 2026, 12:14 PM", "2026-03-01 11:14", id="of winter"),
        pytest.param("Saturday, 1 August 2026, 12:05 AM", "2026-07-31 22:05", id="of summer, past midnight"),
        pytest.param("Sunday, 1 March 2026, 12:14\u202fPM", "2026-03-01 11:14", id="with a narrow blank"),
        pytest.param("Sunday, 1 March 2026, 00:14", "2026-02-28 23:14", id="of 24 hours"),
        pytest.param("1 March 2026, 12:14 PM", "2026-03-01 11:14", id="without the day"),
        pytest.param("2026-03-01 12:14", "2026-03-01 11:14", id="in figures"),
        pytest.param("2026-03-01 12:14 UTC", "2026-03-01 12:14", id="in UTC"),
        pytest.param("3/1/26, 12:14", None, id="which is the month?"),
        pytest.param("Sonntag, 1. M\u00e4rz 2026, 12:14", "2026-03-01 11:14", id="in German"),
        pytest.param("", None, id="none"),
    ],
)
def test_times_of_moodle_are_read_where_there_is_no_doubt(written: str, utc: str | None) -> None:
    read = moment_of(written, ZoneInfo("Europe/Berlin"))
    assert (read and read.strftime("%Y-%m-%d %H:%M %Z")) == (utc and f"{utc} UTC")


def test_worksheet_in_another_language() -> None:
    german = "\ufeffID;Vollständiger Name;E-Mail-Adresse\r\nTeilnehmer/in1;Max;m@x.org\r\n"
    assert ids_in(german.encode(), "E-Mail-Adresse") == {"1": "m@x.org"}
    with pytest.raises(WorksheetError, match=r"name one with c\.MoodleCollector\.id_column"):
        learners_in(german.encode())


WORKSHEETS = sorted((Path(__file__).parents[1] / "classroom" / "worksheets").glob("*.csv"))


@pytest.mark.parametrize("worksheet", WORKSHEETS, ids=[path.stem for path in WORKSHEETS])
def test_worksheet_in_each_language_whose_words_are_known(worksheet: Path) -> None:
    listed = learners_in(worksheet.read_bytes())
    assert listed is not None
    assert [(number, each.id, each.email) for number, each in listed.items()] == [
        ("9001", "0815", "ada@x.example"),
        ("9002", "0816", "bo@x.example"),
    ]
    assert moment_of(listed["9001"].changed, ZoneInfo("Europe/Vienna")) == datetime(
        2026, 3, 1, 11, 14, tzinfo=timezone.utc
    )
    assert listed["9002"].changed == ""


@pytest.mark.parametrize(
    ("column", "sentence"),
    [("Matrikel", "has no column 'Matrikel'"), ("ID number", "ID number are not filled for everybody")],
)
def test_worksheet_without_the_ids_is_refused(column: str, sentence: str) -> None:
    with pytest.raises(WorksheetError, match=sentence):
        learners_in(WORKSHEET.encode(), column)


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n,\n", b"name,points\nAnna,4\n", b"\xff\xfe", b"\0"], ids=repr)
def test_other_tables_are_no_worksheets(content: bytes) -> None:
    assert learners_in(content) is None
