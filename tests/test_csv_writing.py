"""Tables as CSV: text is never computed, numbers stay numbers."""

from __future__ import annotations

import csv
import io
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.csv_writing import line_field, number_field, table, text_field

SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"
STARTS = [*SIGNS, "\t", "\r", " =", "\t=", '"=']
SEPARATORS = [";", ",", "\t", "|", "\n", "\r\n"]
PLAIN = ["", "Anna", "O'Brien", "Müller-Lüdenscheidt", "a@b.org", "Berg, Anna", "1+1=2", "x - y", "李明"]
NUMBERS = {
    **{0.0: "0", -0.00001: "0", -2.5: "-2.5", 4: "4", 1 / 3: "0.3333"},
    **{1234567.25: "1234567.25", 100.0: "100", 1e-3: "0.001", None: ""},
}


@pytest.mark.parametrize("start", STARTS, ids=ascii)
def test_formula_becomes_text(start: str) -> None:
    assert text_field(f"{start}1+1").lstrip(' "').startswith("'")


@pytest.mark.parametrize("separator", SEPARATORS, ids=ascii)
def test_formula_after_another_separator_becomes_text(separator: str) -> None:
    assert text_field(f"a{separator}=1+1") == f"a{separator}'=1+1"


@pytest.mark.parametrize("text", PLAIN)
def test_ordinary_text_is_left_as_it_is(text: str) -> None:
    assert text_field(text) == text


@pytest.mark.parametrize("bad", ["\0", "\ud800"], ids=["nul", "lone-surrogate"])
def test_what_no_file_can_hold_is_replaced(bad: str) -> None:
    assert set(text_field(f"a{bad}b")) == {"a", "\ufffd", "b"}


def test_line_has_no_newline_and_nothing_is_empty() -> None:
    assert line_field(" Anna\r\n=Berg\t") == "Anna =Berg"
    assert text_field(None) == line_field(None) == ""


@pytest.mark.parametrize(("value", "field"), [*NUMBERS.items(), (-0.0, "0")], ids=repr)
def test_number_is_plain(value: float | None, field: str) -> None:
    assert number_field(value) == field


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf], ids=repr)
def test_what_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="is no number of points"):
        number_field(value)


@given(st.lists(st.lists(st.text(), min_size=2), min_size=1))
def test_table_is_read_back_as_it_was_written(rows: list[list[str]]) -> None:
    fields = [[text_field(text) for text in row] for row in rows]
    assert list(csv.reader(io.StringIO(table(fields), newline=""))) == fields


@given(st.text(alphabet=[*SIGNS, *' "\t\r\n;,a1']))
def test_no_field_starts_with_a_sign_wherever_it_is_cut(text: str) -> None:
    for separator in (";", ",", "\t", "\n", "\r"):
        for cell in text_field(text).split(separator):
            assert not cell.strip(' "\t\r\n').startswith(tuple(SIGNS)), text
