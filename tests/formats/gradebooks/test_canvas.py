"""The gradebook file for Canvas, by the rules of Canvas' own importer."""

from __future__ import annotations

import csv
import io

import pytest

from grader.formats.canvas import canvas_gradebook
from grader.formats.marks import Column, FormatError, PlatformLearner

ANNA = PlatformLearner("anna", "Anna", "Berg", "anna@example.org", "4711")
NAMELESS = PlatformLearner("u2")
PARTS = Column("01_parts", 10.0, "88")
MORE = Column("02_more", 4.5)


def rows(*given: object, **how: object) -> list[list[str]]:
    return list(csv.reader(io.StringIO(canvas_gradebook(*given, **how), newline="")))  # type: ignore[arg-type]


def test_columns_and_points_possible() -> None:
    header, possible = rows([], [PARTS, MORE], {})
    assert header == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "01_parts (88)", "02_more"]
    assert possible[0].strip() == "Points Possible"
    assert possible[1:] == ["", "", "", "", "10", "4.5"]


def test_row_of_a_learner() -> None:
    marks = {("anna", "01_parts"): 0.0, ("anna", "02_more"): 4.25}
    assert rows([ANNA], [PARTS, MORE], marks)[2:] == [["Berg, Anna", "4711", "", "anna", "", "0", "4.25"]]


def test_no_mark_is_no_zero() -> None:
    marks = {("anna", "01_parts"): None}
    assert rows([ANNA, NAMELESS], [PARTS], marks)[2:] == [
        ["Berg, Anna", "4711", "", "anna", "", ""],
        ["u2", "", "", "u2", "", ""],
    ]


def test_number_of_the_school() -> None:
    assert rows([ANNA], [], {}, platform_id="SIS User ID")[2] == ["Berg, Anna", "", "4711", "anna", ""]


def test_every_row_is_as_wide_as_the_header() -> None:
    assert {len(row) for row in rows([ANNA, NAMELESS], [PARTS, MORE], {})} == {7}


def test_nobody_can_set_what_an_assignment_is_worth() -> None:
    assert rows([PlatformLearner("eve", "Points Possible", "")], [PARTS], {})[2][0] == "eve"


def test_formula_in_a_name() -> None:
    (row,) = rows([PlatformLearner("=id", "@b\n=c", "=HYPERLINK(1)")], [], {})[2:]
    assert row == ["'=HYPERLINK(1), '@b =c", "", "", "'=id", ""]


@pytest.mark.parametrize("name", ["Section", "Final Score", "My Current Grade", "ID", " "], ids=repr)
def test_title_that_canvas_passes_over_is_refused(name: str) -> None:
    with pytest.raises(FormatError, match="call the column something else"):
        canvas_gradebook([], [Column(name, 1.0)], {})


def test_two_columns_of_one_title_are_refused() -> None:
    with pytest.raises(FormatError, match="could not be told apart"):
        canvas_gradebook([], [PARTS, PARTS], {})
