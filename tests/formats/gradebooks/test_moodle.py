"""The file of grades for Moodle, by the rules of Moodle's own importer."""

from __future__ import annotations

import csv
import io

import pytest

from grader.formats.marks import Column, FormatError, PlatformLearner
from grader.formats.moodle import moodle_grades, moodle_identifier

ANNA = PlatformLearner("anna", "Anna", "Berg", "anna@example.org", "4711")
BY_MAIL = PlatformLearner("bo@example.org")
PARTS = Column("01_parts", 10.0)


def rows(*given: object, **how: object) -> list[list[str]]:
    return list(csv.reader(io.StringIO(moodle_grades(*given, **how), newline="")))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("identifier", "header", "value"),
    [
        ("email", "Email address", "anna@example.org"),
        ("id number", "ID number", "4711"),
        ("username", "Username", "anna"),
    ],
)
def test_one_identifier_and_the_grades(identifier: str, header: str, value: str) -> None:
    assert rows([ANNA], [PARTS], {("anna", "01_parts"): 0.0}, identifier=identifier) == [
        ["First name", "Last name", header, "01_parts"],
        ["Anna", "Berg", value, "0"],
    ]


def test_no_mark_is_a_dash() -> None:
    assert [row[-1] for row in rows([ANNA, BY_MAIL], [PARTS], {("anna", "01_parts"): None})[1:]] == ["-", "-"]


def test_an_id_that_is_an_address_is_one() -> None:
    assert moodle_identifier(BY_MAIL, "email") == "bo@example.org"


@pytest.mark.parametrize(
    "learner", [PlatformLearner("carl"), PlatformLearner("carl", email=" "), PlatformLearner("carl", email="0")]
)
def test_row_without_an_identifier_is_never_written(learner: PlatformLearner) -> None:
    assert moodle_identifier(learner, "email") is None
    with pytest.raises(FormatError, match="There is no Email address of 'carl', and Moodle takes no row without one"):
        moodle_grades([ANNA, learner], [PARTS], {})


def test_two_learners_of_one_identifier_are_refused() -> None:
    with pytest.raises(FormatError, match=r"Two learners are called 'anna@example.org'"):
        moodle_grades([ANNA, PlatformLearner("other", email="anna@example.org")], [PARTS], {})
