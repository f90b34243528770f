"""Rosters as systems export them, and the learners found in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.learners import Learner
from grader.classroom.roster import read_roster as grading_roster
from grader.course import load_course
from grader.errors import KataError
from grader.formats.people import Matches, Person, match_people, read_people

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


def people(*told: tuple[str, str]) -> list[Person]:
    return [Person(whole_name=name, own_id=id) for name, id in told]


def learner(name: str) -> Learner:
    return Learner(name, name, in_roster=False)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        pytest.param(
            CANVAS,
            [
                ("Lovelace, Ada", "101", "S-7", "ada@example.org", ""),
                ("O'Neill, Ana", "102", "S-8", "ana", ""),
            ],
            id="Canvas's export, without the row of points",
        ),
        pytest.param(MOODLE, [("Ada Lovelace", "", "7", "", "Ada@example.org")], id="Moodle's export"),
        pytest.param(BY_HAND, [("Ada Lovelace", "7", "", "", "ada@example.org")], id="by hand, from Excel"),
    ],
)
def test_columns_are_found_by_their_titles(text: str, people: list[tuple[str, ...]], tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(text, encoding="utf-8")
    found = read_people(path)
    assert [(each.name, each.own_id, each.sis_id, each.login, each.email) for each in found] == people


@pytest.mark.parametrize(
    "submission",
    ["101", "S-7", "ada@example.org", "Ada Lovelace", "ada_lovelace", "lovelace, ada", "ADA LOVELACE"],
)
def test_a_submission_finds_its_learner(submission: str, tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(CANVAS, encoding="utf-8")
    assert match_people([learner(submission)], read_people(path)).of[submission].own_id == "101"


def test_what_fits_two_learners_finds_neither() -> None:
    roster = people(("Ada Lovelace", "1"), ("Ada Lovelace", "2"))
    assert match_people([learner("ada lovelace"), learner("2")], roster) == Matches({"2": roster[1]}, {})


def test_two_submissions_of_one_learner_are_nobodys_and_cost_others_nothing() -> None:
    roster = people(("Ada Lovelace", "1"), ("Bo", "2"))
    matches = match_people([learner("1"), learner("Ada Lovelace"), learner("2")], roster)
    assert matches == Matches({"2": roster[1]}, {"Ada Lovelace": ("1", "Ada Lovelace")})


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
    with pytest.raises(KataError, match=said):
        read_people(path)


def test_a_roster_that_is_not_there_gets_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(KataError, match="cannot be read"):
        read_people(tmp_path / "roster.csv")


@pytest.mark.parametrize("title", ["NetID", "OrgDefinedId", "Username", "id", "SIS Login ID"])
def test_namesakes_are_found_by_every_id_that_grading_knows_them_by(
    title: str, tmp_path: Path, tiny_course: Path
) -> None:
    (tmp_path / "roster.csv").write_text(f"{title},Name\nw1,Li Wei\nw2,Li Wei\nz1,Zoe Fox\n")
    roster = grading_roster(tmp_path / "roster.csv", load_course(tiny_course / "course.yml"))
    graded = [Learner(each.id, each.name) for each in roster.learners]
    matches = match_people(graded, read_people(tmp_path / "roster.csv"))
    assert set(matches.of) == {"w1", "w2", "z1"} and not matches.torn


def test_all_who_are_torn_between_namesakes_are_left_out() -> None:
    roster = people(("Li Wei", "1"), ("Li Wei", "2"), ("Zoe Fox", "3"))
    claims = [Learner(f"{id}-{n}", "Somebody", ids=(id,)) for id in "12" for n in "ab"] + [learner("3")]
    matches = match_people(claims, roster)
    assert matches.none == {"1-a", "1-b", "2-a", "2-b"} and set(matches.of) == {"3"}
