"""The file for Moodle, read back by the rules of Moodle's own importer."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.errors import KataError
from grader.formats.people import Person, read_people
from grader.record import Adjustment, Record

from .conftest import HOSTILE_NAMES, exercise, record

Export = Callable[..., dict[str, str]]
MOST = 100.0


class ImportAborted(Exception):
    """Nothing of the file was imported."""


class Moodle:
    """A course in Moodle that imports a file as grade/import/csv/classes/load_data.php of moodle/moodle does.

    Every column but the names and the identifier is mapped to a new grade item.
    """

    def __init__(self, *users: str) -> None:
        self.users = users

    def take(self, text: str) -> dict[str, dict[str, float | None]]:
        header, *lines = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
        names = 1 if header[0] == "Full name" else 2
        assert header[:names] in (["Full name"], ["First name", "Last name"]) and len(set(header)) == len(header)
        user = None
        marks: dict[str, dict[str, float | None]] = {}
        for line in lines:
            if len(line) <= 1:
                continue
            assert len(line) == len(header)
            identifier = line[names].strip()
            if identifier not in ("", "0"):  # PHP's empty(): with such a field the last line's user stays
                if identifier not in self.users:
                    raise ImportAborted(f"no user {identifier!r}")
                user = identifier
            if user is None:
                raise ImportAborted("no user at all")
            assert user not in marks, "two lines for one user"
            marks[user] = {
                title: self._grade(value.strip())
                for title, value in zip(header[names + 1 :], line[names + 1 :], strict=True)
            }
        return marks

    @staticmethod
    def _grade(value: str) -> float | None:
        if value == "-":
            return None
        grade = float(value)
        if grade > MOST:
            raise ImportAborted(f"{grade} is too big")
        return grade


ADA = Person(whole_name="Ada Lovelace", sis_id="7", login="ada", email="Ada@example.org")
BO = Person(whole_name="Bo Li", sis_id="8", login="boli", email="bo@example.org")


def test_marks_reach_the_users_of_a_roster(class_of: Callable[..., Path], exported: Export, said: list[str]) -> None:
    text = exported(class_of(record("boli"), record("Ada_Lovelace")), "moodle", roster=[ADA, BO])["moodle.csv"]
    marks = Moodle("Ada@example.org", "bo@example.org").take(text)  # Moodle compares letters' case
    assert marks == {"bo@example.org": {"Attention Kata": 5}, "Ada@example.org": {"Attention Kata": 5}}
    assert text.splitlines()[0] == "Full name,Email address,Attention Kata" and not said


@pytest.mark.parametrize(
    ("person", "title", "user"),
    [
        pytest.param(Person(whole_name="Ada", sis_id="7"), "ID number", "7", id="ID number"),
        pytest.param(Person(whole_name="Ada", login="ada7"), "Username", "ada7", id="username"),
    ],
)
def test_the_identifier_that_there_is_counts(
    person: Person, title: str, user: str, class_of: Callable[..., Path], exported: Export
) -> None:
    text = exported(class_of(record("ada")), "moodle", roster=[person])["moodle.csv"]
    assert text.split(",")[1] == title and list(Moodle(user).take(text)) == [user]


def test_without_a_roster_submissions_are_usernames(
    class_of: Callable[..., Path], exported: Export, said: list[str]
) -> None:
    assert list(Moodle("ada").take(exported(class_of(record("ada")), "moodle")["moodle.csv"])) == ["ada"]
    assert "usernames" in said[0]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("First name,Surname,Email address\nAda,Lovelace,ada@example.org\n", id="in two columns"),
        pytest.param('Full name,Email address\n"Lovelace, Ada",ada@example.org\n', id="with a comma"),
    ],
)
def test_names_stand_in_the_columns_that_they_belong_in(
    text: str, tmp_path: Path, class_of: Callable[..., Path], exported: Export
) -> None:
    (tmp_path / "roster.csv").write_text(text, "utf-8")
    made = exported(class_of(record("ada")), "moodle", roster=read_people(tmp_path / "roster.csv"))["moodle.csv"]
    assert [line.split(",")[:3] for line in made.splitlines()] == [
        ["First name", "Last name", "Email address"],
        ["Ada", "Lovelace", "ada@example.org"],
    ]


@pytest.mark.parametrize("id", ["", "0"], ids=["none", "0, which PHP takes for none"])
def test_nobody_gets_the_marks_of_one_without_an_identifier(
    id: str, class_of: Callable[..., Path], exported: Export, said: list[str]
) -> None:
    roster = [Person(whole_name="Ada", sis_id="7"), Person(whole_name="Bo", sis_id=id)]
    text = exported(class_of(record("Ada", exercise("softmax", 1.0)), record("Bo")), "moodle", roster=roster)[
        "moodle.csv"
    ]
    assert Moodle("7").take(text) == {"7": {"Attention Kata": 1}}
    assert "Bo" in said[0]


def test_strangers_would_abort_the_import_and_are_left_out(
    class_of: Callable[..., Path], exported: Export, said: list[str]
) -> None:
    text = exported(class_of(record("ada"), record("stranger")), "moodle", roster=[ADA])["moodle.csv"]
    assert list(Moodle("Ada@example.org").take(text)) == ["Ada@example.org"]
    assert "stranger" in said[0]


def test_more_than_moodles_hundred_is_written_out_of_a_hundred(
    class_of: Callable[..., Path], exported: Export, said: list[str]
) -> None:
    big = [exercise(f"e{number}", 4.0 if number < 10 else 0.0) for number in range(40)]
    text = exported(class_of(record("ada", *big)), "moodle")["moodle.csv"]
    assert Moodle("ada").take(text) == {"ada": {"Attention Kata (out of 100)": 25}}
    assert any("out of" in sentence for sentence in said)


@pytest.mark.parametrize("name", HOSTILE_NAMES.values(), ids=HOSTILE_NAMES)
def test_no_name_disturbs_the_import(name: str, class_of: Callable[..., Path], exported: Export) -> None:
    roster = [Person(whole_name=name, email="x@example.org"), BO]
    text = exported(class_of(record("x"), record("boli")), "moodle", roster=roster)["moodle.csv"]
    assert len(Moodle("x@example.org", "bo@example.org").take(text)) == 2
    assert len(text.splitlines()) == 3
    shown = [row[1] for row in csv.reader(io.StringIO(text, newline=""))]
    assert not [each for each in shown if each.startswith(tuple("=+-@\t\r\n\uff1d"))]


def test_an_identifier_that_two_share_is_no_identifier(class_of: Callable[..., Path], exported: Export) -> None:
    roster = [Person(whole_name="Ada", login="a", sis_id="7"), Person(whole_name="Bo", login="b", sis_id="7")]
    text = exported(class_of(record("Ada"), record("Bo")), "moodle", roster=roster)["moodle.csv"]
    assert list(Moodle("a", "b").take(text)) == ["a", "b"]


def test_two_learners_who_cannot_be_told_apart_are_refused(class_of: Callable[..., Path], exported: Export) -> None:
    roster = [Person(whole_name="Ada", sis_id="7"), Person(whole_name="Bo", sis_id="7")]
    with pytest.raises(KataError, match="could not be told apart"):
        exported(class_of(record("Ada"), record("Bo")), "moodle", roster=roster)


def test_points_beyond_what_moodle_takes_are_left_out_aloud(
    class_of: Callable[..., Path], exported: Export, said: list[str]
) -> None:
    exercises = [exercise(id).model_copy(update={"final_points": 60.0, "final_max_points": 0.0}) for id in ("a", "b")]
    above = record("ada").model_copy(
        update={
            "exercises": tuple(exercises),
            "points": 8.0,
            "max_points": 8.0,
            "final_points": 120.0,
            "final_max_points": 0.0,
            "adjustments": (Adjustment(unit="06_beyond", points=112.0, reason="On top."),),
        }
    )
    files = exported(class_of(Record.from_json(above.to_json())), "moodle")
    assert list(Moodle("ada").take(files["moodle.csv"])["ada"].values()) == [MOST]
    assert any("what extra credit gave beyond that is left out: ada." in sentence for sentence in said)
