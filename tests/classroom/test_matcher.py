"""Learners of a roster are found by what submissions are called; the class is the roster and whoever else handed in."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.entries import Entry
from grader.classroom.learners import Learner as Enrolled
from grader.classroom.matcher import Matcher
from grader.classroom.members import members
from grader.classroom.roster import read_roster
from grader.course import Course

ROSTER = """\
id,name,email,username
1001,Ada Lovelace,ada@uni.example,al99
1002,"O'Neil, Zoë",zoe.oneil@uni.example,zo12
1003,Bo Li,bo@uni.example,bl01
1004,Bo Li,bo.li@uni.example,bl02
"""


def roster_of(text: str, tmp_path: Path, course: Course) -> tuple[Enrolled, ...]:
    (tmp_path / "roster.csv").write_text(text, "utf-8")
    return read_roster(tmp_path / "roster.csv", course).learners


@pytest.fixture
def matcher(tmp_path: Path, course: Course) -> Matcher:
    return Matcher(roster_of(ROSTER, tmp_path, course))


@pytest.mark.parametrize(
    ("submission", "id"),
    [
        pytest.param("1001", "1001", id="id"),
        pytest.param("AL99", "1001", id="login"),
        pytest.param("zoe.oneil@uni.example", "1002", id="email"),
        pytest.param("zoe.oneil", "1002", id="email's beginning"),
        pytest.param("ada_lovelace", "1001", id="name in a file"),
        pytest.param("Lovelace Ada", "1001", id="last name first"),
        pytest.param("Zoe O'Neil", "1002", id="without the accent"),
        pytest.param("Bo Li", None, id="two of one name"),
        pytest.param("Nobody", None, id="not there"),
    ],
)
def test_submission_is_matched_with_its_learner(submission: str, id: str | None, matcher: Matcher) -> None:
    found = matcher.learner(submission)
    assert (found.id if found else None) == id


@pytest.mark.parametrize(("submission", "id"), [("ADA", None), ("ada", "ada")], ids=["either's", "one's to the letter"])
def test_an_id_that_could_be_two_learners_is_not_taken_for_a_name(
    submission: str, id: str | None, tmp_path: Path, course: Course
) -> None:
    found = Matcher(roster_of("id,name\n,Ada\nada,Ada Lovelace\n", tmp_path, course)).learner(submission)
    assert (found.id if found else None) == id


def test_an_email_that_begins_like_anothers_id_takes_no_row(tmp_path: Path, course: Course) -> None:
    roster = roster_of("id,name,email\na1,Ada,ada@x.org\ne5,Eve,a1@evil.example\n", tmp_path, course)
    found = Matcher(roster).learner("a1")
    assert found is not None and found.name == "Ada"


def test_class_is_the_roster_and_whoever_else_handed_in(tmp_path: Path, course: Course) -> None:
    found = [Entry(name, Path(name)) for name in ("zoe.oneil", "stranger", "1001", "al99")]
    everyone = members(found, roster_of(ROSTER, tmp_path, course))
    assert [(each.learner.name, each.learner.shown, each.entry is not None) for each in everyone.all] == [
        ("1001", "Ada Lovelace", False),
        ("1002", "O'Neil, Zoë", True),
        ("1003", "Bo Li", False),
        ("1004", "Bo Li", False),
        ("stranger", "stranger", True),
    ]
    assert everyone.remarks == ("Not in the roster: stranger.", "Handed in nothing: Bo Li, Bo Li.")
    (dispute,) = everyone.disputes
    assert dispute.startswith("1001 and al99 all claim to be Ada Lovelace's, so none of them counts")
    assert [each.name for each in everyone.left_out] == ["1001", "al99"]
    assert [each.learner.name for each in everyone.all if each.learner.is_disputed] == ["1001"]


def test_name_and_id_of_one_learner_are_two_claims(tmp_path: Path, course: Course) -> None:
    found = [Entry("ada", Path("ada")), Entry("x", Path("x"))]
    everyone = members(found, roster_of("id,name\nx,Ada\n", tmp_path, course))
    assert everyone.entries == [] and len(everyone.disputes) == 1


def test_a_mailbox_elsewhere_is_nobodys_login() -> None:
    ada = Enrolled("1", "Ada Lovelace", "ada@uni.example", ())
    eve = Enrolled("2", "Eve Evil", "ada@evil.example", ())
    bob = Enrolled("3", "Bob Bell", "bob@uni.example", ())
    matcher = Matcher([ada, eve, bob])
    assert matcher.learner("ada") == ada
    assert matcher.learner("ada@evil.example") == eve


def test_where_most_addresses_have_no_domain_in_common_a_mailbox_is_no_login() -> None:
    matcher = Matcher([Enrolled(str(n), name, f"{name}@{n}.example", ()) for n, name in enumerate(("ada", "eve"))])
    assert matcher.by_login("ada") == ()
