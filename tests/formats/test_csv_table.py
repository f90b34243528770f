"""The table: right for programs, harmless in a spreadsheet, and no zero where there is no mark."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.errors import KataError

from .conftest import HOSTILE_NAMES, record

Export = Callable[..., dict[str, str]]


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True))


@pytest.mark.parametrize("by", ["learner", "exercise"])
@pytest.mark.parametrize("name", HOSTILE_NAMES.values(), ids=HOSTILE_NAMES)
def test_no_name_is_a_formula_or_breaks_a_row(
    name: str, by: str, class_of: Callable[..., Path], exported: Export
) -> None:
    (text,) = exported(class_of(record(name), record("bo")), "csv", by=by).values()
    rows = rows_of(text)
    assert len(rows) == (2 if by == "learner" else 6) and all(None not in row for row in rows)
    for row in rows:
        for title, value in row.items():
            assert not value.lstrip().startswith(tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")), (title, value)


@pytest.mark.parametrize("key", ["comma", "quote", "emoji"])
def test_harmless_names_come_through_as_they_are(key: str, class_of: Callable[..., Path], exported: Export) -> None:
    (row,) = rows_of(exported(class_of(record(HOSTILE_NAMES[key])), "csv")["grades.csv"])
    assert row["name"] == HOSTILE_NAMES[key]


def test_same_results_give_the_same_bytes(class_of: Callable[..., Path], exported: Export) -> None:
    out = class_of(*(record(name) for name in HOSTILE_NAMES.values()))
    assert exported(out, "csv") == exported(out, "csv")


@pytest.mark.parametrize("bom", [True, False], ids=["for Excel", "for programs"])
def test_byte_order_mark_only_where_it_is_wanted(bom: bool, class_of: Callable[..., Path], exported: Export) -> None:
    text = exported(class_of(record("ada")), "csv", bom=bom)["grades.csv"]
    assert text.startswith("\ufeffsubmission" if bom else "submission")
    assert "\ufeff" not in text[1:]


def test_rows_by_unit_are_refused(class_of: Callable[..., Path], exported: Export) -> None:
    with pytest.raises(KataError, match="not by unit"):
        exported(class_of(record("ada")), "csv", by="unit")
