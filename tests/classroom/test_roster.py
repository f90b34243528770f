"""A roster's columns are found by their headers, and its learners by what submissions are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.classroom.entries import Entry
from grader.classroom.members import members
from grader.classroom.roster import Enrolled, Matcher, read_roster
from grader.errors import KataError

WANTED = [("a1", "Ada Lovelace", "ada@uni.example"), ("z2", "Zoë O'Neil", "zoe@uni.example")]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        pytest.param(
            "id,name,email\na1,Ada Lovelace,ada@uni.example\nz2,Zoë O'Neil,zoe@uni.example\n", "utf-8", id="plain"
        ),
        pytest.param(
            "E-Mail;Full Name;Student ID\nada@uni.example;Ada Lovelace;a1\n\nzoe@uni.example;Zoë O'Neil;z2\n",
            "utf-8-sig",
            id="semicolons, another order, a blank line, a byte order mark",
        ),
        pytest.param(
            "First name,Last name,ID number,Email address,Groups\r\nAda,Lovelace,a1,ada@uni.example,\r\n"
            "Zoë,O'Neil,z2,zoe@uni.example,\r\n",
            "utf-8",
            id="Moodle participants",
        ),
        pytest.param(
            "Surname\tGiven names\tUsername\tMail\nLovelace\tAda\ta1\tada@uni.example\nO'Neil\tZoë\tz2\tzoe@uni.example\n",
            "utf-16",
            id="tabs in UTF-16",
        ),
        pytest.param(
            "ID;Name;Email\na1;Ada Lovelace;ada@uni.example\nz2;Zoë O'Neil;zoe@uni.example\n", "cp1252", id="Excel"
        ),
        pytest.param(
            'Student,ID,SIS Login ID,Section,Email\n    Points Possible,,,,\n"Ada Lovelace",a1,x,S,ada@uni.example\n'
            "Zoë O'Neil,z2,y,S,zoe@uni.example\n",
            "utf-8",
            id="Canvas gradebook",
        ),
    ],
)
def test_columns_are_found_by_their_headers(text: str, encoding: str, tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_bytes(text.encode(encoding))
    found = read_roster(tmp_path / "roster.csv")
    assert [(each.id, each.name, each.email) for each in found] == WANTED


@pytest.mark.parametrize(
    ("content", "told"),
    [
        pytest.param(b"colour,size\nred,4\n", "no column for ids, names or emails", id="no such columns"),
        pytest.param(b"id,name\na1,Ada\na1,Bo\n", "row 3: a1 is in row 2 already", id="id twice"),
        pytest.param(b"id,name\n", "names no learner", id="nobody"),
        pytest.param(b"", "no column", id="empty"),
        pytest.param(b'id,name\na1,"Ada\n', "not a CSV file", id="open quote"),
        pytest.param(b"id,team\na1,x\n,y\n", "row 3: there is no id", id="nameless"),
    ],
)
def test_roster_of_no_use_is_refused_in_a_sentence(content: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_bytes(content)
    with pytest.raises(KataError, match=told):
        read_roster(tmp_path / "roster.csv")


ROSTER = """\
id,name,email,username
1001,Ada Lovelace,ada@uni.example,al99
1002,"O'Neil, Zoë",zoe.oneil@uni.example,zo12
1003,Bo Li,bo@uni.example,bl01
1004,Bo Li,bo.li@uni.example,bl02
"""


@pytest.fixture
def matcher(tmp_path: Path) -> Matcher:
    (tmp_path / "roster.csv").write_text(ROSTER, "utf-8")
    return Matcher(read_roster(tmp_path / "roster.csv"))


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
    submission: str, id: str | None, tmp_path: Path
) -> None:
    (tmp_path / "roster.csv").write_text("id,name\n,Ada\nada,Ada Lovelace\n", "utf-8")
    found = Matcher(read_roster(tmp_path / "roster.csv")).learner(submission)
    assert (found.id if found else None) == id


def test_an_email_that_begins_like_anothers_id_takes_no_row(tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("id,name,email\na1,Ada,ada@x.org\ne5,Eve,a1@evil.example\n", "utf-8")
    found = Matcher(read_roster(tmp_path / "roster.csv")).learner("a1")
    assert found is not None and found.name == "Ada"


def test_class_is_the_roster_and_whoever_else_handed_in(tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text(ROSTER, "utf-8")
    found = [Entry(name, Path(name)) for name in ("zoe.oneil", "stranger", "1001", "al99")]
    everyone = members(found, read_roster(tmp_path / "roster.csv"))
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


def test_name_and_id_of_one_learner_are_two_claims(tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("id,name\nx,Ada\n", "utf-8")
    found = [Entry("ada", Path("ada")), Entry("x", Path("x"))]
    everyone = members(found, read_roster(tmp_path / "roster.csv"))
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
