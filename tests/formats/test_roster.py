"""Rosters as systems export them, and the learners found in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.members import Learner
from grader.classroom.roster import read_roster as grading_roster
from grader.formats.marks import ExportError
from grader.formats.roster import Person, Roster, people_of, read_roster

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Old homework (12)
    Points Possible,,,,,10
"Lovelace, Ada",101,S-7,ada@example.org,Lab 1,9
"O'Neill, Ana",102,S-8,ana,Lab 2,
"""
MOODLE = """\
"First name",Surname,"ID number",Institution,Department,"Email address"
Ada,Lovelace,7,,,Ada@example.org
"""
BY_HAND = "\ufeffname;id;email\nAda Lovelace;7;ada@example.org\n"


def learner(name: str, shown: str = "", email: str = "") -> Learner:
    return Learner(name=name, shown=shown or name, email=email)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        pytest.param(
            CANVAS,
            [
                Person("Lovelace, Ada", "101", "S-7", "ada@example.org", "", "Lab 1"),
                Person("O'Neill, Ana", "102", "S-8", "ana", "", "Lab 2"),
            ],
            id="Canvas's export, without the row of points",
        ),
        pytest.param(
            MOODLE,
            [Person("Ada Lovelace", sis_id="7", email="Ada@example.org", first="Ada", last="Lovelace")],
            id="Moodle's export",
        ),
        pytest.param(BY_HAND, [Person("Ada Lovelace", id="7", email="ada@example.org")], id="by hand, from Excel"),
    ],
)
def test_columns_are_found_by_their_titles(text: str, people: list[Person], tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(text, encoding="utf-8")
    assert list(read_roster(path).people) == people


@pytest.mark.parametrize(
    "submission",
    ["101", "S-7", "ada@example.org", "Ada Lovelace", "ada_lovelace", "lovelace, ada", "ADA LOVELACE"],
)
def test_a_submission_finds_its_learner(submission: str, tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(CANVAS, encoding="utf-8")
    found = read_roster(path).find(learner(submission))
    assert found is not None and found.id == "101"


def test_what_fits_two_learners_finds_neither() -> None:
    roster = Roster([Person("Ada Lovelace", id="1"), Person("Ada Lovelace", id="2")])
    assert roster.find(learner("ada lovelace")) is None
    assert roster.find(learner("2")) == Person("Ada Lovelace", id="2")


def test_two_submissions_of_one_learner_are_nobodys_and_cost_others_nothing() -> None:
    ada, bo = Person("Ada Lovelace", id="1"), Person("Bo", id="2")
    people = people_of([learner("1"), learner("Ada Lovelace"), learner("2")], Roster([ada, bo]))
    assert people.of == {"2": bo}
    assert people.torn == {"Ada Lovelace": ("1", "Ada Lovelace")}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(b"", "no column for ids, names or emails", id="empty"),
        pytest.param(b"height,weight\n1,2\n", "no column for ids, names or emails", id="something else"),
        pytest.param(b"name,id\n", "names no learner", id="nobody"),
        pytest.param(b'name,id\n"Ada,1\n', "not a CSV file", id="open quote"),
    ],
)
def test_what_is_no_roster_gets_one_sentence(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_bytes(content)
    with pytest.raises(ExportError, match=said):
        read_roster(path)


def test_a_roster_that_is_not_there_gets_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="cannot be read"):
        read_roster(tmp_path / "roster.csv")


@pytest.mark.parametrize("title", ["NetID", "OrgDefinedId", "Username", "id", "SIS Login ID"])
def test_namesakes_are_found_by_every_id_that_grading_knows_them_by(title: str, tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text(f"{title},Name\nw1,Li Wei\nw2,Li Wei\nz1,Zoe Fox\n")
    graded = [
        Learner(name=each.id, shown=each.name, in_roster=True) for each in grading_roster(tmp_path / "roster.csv")
    ]
    people = people_of(graded, read_roster(tmp_path / "roster.csv"))
    assert set(people.of) == {"w1", "w2", "z1"} and not people.torn


def test_all_who_are_torn_between_namesakes_are_left_out() -> None:
    roster = Roster([Person("Li Wei", "1"), Person("Li Wei", "2"), Person("Zoe Fox", "3")])
    claims = [Learner(name=f"{id}-{n}", shown=id) for id in "12" for n in "ab"] + [learner("3")]
    claims = [each.model_copy(update={"platform": "canvas", "ids": (each.shown,)}) for each in claims]
    people = people_of(claims, roster)
    assert people.none == {"1-a", "1-b", "2-a", "2-b"} and set(people.of) == {"3"}
