"""Tables as CSV: text is never computed, numbers stay numbers."""

from __future__ import annotations

import csv
import io
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.files import line_field, number_field, text_field
from grader.files import table as as_csv
from tests.cases import rows, table

SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"
NUMBERS = {
    **{0.0: "0", -0.00001: "0", -2.5: "-2.5", 4: "4", 1 / 3: "0.3333"},
    **{1234567.25: "1234567.25", 100.0: "100", 1e-3: "0.001", None: ""},
}


@rows(table(__file__, "csv_fields.yml"), "text", "field")
def test_text_is_never_a_formula_and_else_as_it_was(text: str | None, field: str) -> None:
    assert text_field(text) == field


def test_line_has_no_newline() -> None:
    assert line_field(" Anna\r\n=Berg\t") == "Anna =Berg"
    assert line_field(None) == ""


@pytest.mark.parametrize(("value", "field"), [*NUMBERS.items(), (-0.0, "0")], ids=repr)
def test_number_is_plain(value: float | None, field: str) -> None:
    assert number_field(value) == field


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf], ids=repr)
def test_what_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="is no number of points"):
        number_field(value)


@given(st.lists(st.lists(st.text(), min_size=2), min_size=1))
def test_table_is_read_back_as_it_was_written(texts: list[list[str]]) -> None:
    fields = [[text_field(text) for text in row] for row in texts]
    assert list(csv.reader(io.StringIO(as_csv(fields), newline=""))) == fields


@given(st.text(alphabet=[*SIGNS, *' "\t\r\n;,a1']))
def test_no_field_starts_with_a_sign_wherever_it_is_cut(text: str) -> None:
    for separator in (";", ",", "\t", "\n", "\r"):
        for cell in text_field(text).split(separator):
            assert not cell.strip(' "\t\r\n').startswith(tuple(SIGNS)), text
