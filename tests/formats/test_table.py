"""The table: right for programs, harmless in a spreadsheet, and no zero where there is no mark."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.classroom.members import Learner
from grader.formats.marks import ExportError
from grader.record import Problem

from .conftest import HOSTILE_NAMES, not_graded, record

Export = Callable[..., dict[str, str]]


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True))


def test_a_row_a_learner(class_of: Callable[..., Path], exported: Export) -> None:
    (row,) = rows_of(exported(class_of(record("ada")), "csv")["grades.csv"])
    assert row == {
        "submission": "ada", "name": "ada", "id": "", "email": "", "remark": "", "points": "5", "max_points": "12",
        "softmax": "4", "causal_mask": "1", "kv_cache": "0", "files_not_taken": "0", "isolation": "full", "seed": "7",
    }  # fmt: skip


def test_a_row_a_learner_and_exercise(class_of: Callable[..., Path], exported: Export) -> None:
    rows = rows_of(exported(class_of(record("ada"), record("bo")), "csv", by="exercise")["grades-by-exercise.csv"])
    assert [(row["submission"], row["exercise"]) for row in rows] == [
        (name, id) for name in ("ada", "bo") for id in ("softmax", "causal_mask", "kv_cache")
    ]
    assert rows[1] == {
        "submission": "ada", "name": "ada", "id": "", "email": "", "exercise": "causal_mask", "title": "Causal mask",
        "status": "failed", "points": "1", "max_points": "4", "checks_passed": "1", "checks": "2",
        "mistakes": "whole-sum",
    }  # fmt: skip


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


def test_where_the_grader_failed_there_is_no_zero_but_a_name(class_of: Callable[..., Path], exported: Export) -> None:
    out = class_of(not_graded("ada"))
    (row,) = rows_of(exported(out, "csv")["grades.csv"])
    assert (row["points"], row["causal_mask"], row["softmax"]) == ("", "", "4")
    assert row["remark"] == "not graded: causal_mask"
    rows = rows_of(exported(out, "csv", by="exercise")["grades-by-exercise.csv"])
    assert [(each["status"], each["points"]) for each in rows] == [
        ("passed", "4"),
        ("not graded", ""),
        ("missing", "0"),
    ]


def test_learners_who_handed_in_nothing_are_listed_without_marks(
    class_of: Callable[..., Path], exported: Export
) -> None:
    here = Learner(name="17", shown="Ada Lovelace", email="ada@example.org", in_roster=True)
    away = Learner(name="18", shown="Bo Li", handed_in=False, in_roster=True)
    rows = rows_of(exported(class_of(record("17"), learners=[here, away]), "csv")["grades.csv"])
    assert [(row["name"], row["id"], row["email"], row["points"], row["remark"]) for row in rows] == [
        ("Ada Lovelace", "17", "ada@example.org", "5", ""),
        ("Bo Li", "18", "", "", "handed in nothing"),
    ]


def test_same_results_give_the_same_bytes(class_of: Callable[..., Path], exported: Export) -> None:
    out = class_of(*(record(name) for name in HOSTILE_NAMES.values()))
    assert exported(out, "csv") == exported(out, "csv")


@pytest.mark.parametrize("bom", [True, False], ids=["for Excel", "for programs"])
def test_byte_order_mark_only_where_it_is_wanted(bom: bool, class_of: Callable[..., Path], exported: Export) -> None:
    text = exported(class_of(record("ada")), "csv", bom=bom)["grades.csv"]
    assert text.startswith("\ufeffsubmission" if bom else "submission")
    assert "\ufeff" not in text[1:]


def test_files_that_could_not_be_taken_are_counted(class_of: Callable[..., Path], exported: Export) -> None:
    problem = Problem(file="a.py", kind="unreadable", message="It is not text.")
    (row,) = rows_of(exported(class_of(record("ada", problems=[problem])), "csv")["grades.csv"])
    assert row["files_not_taken"] == "1"


def test_rows_by_unit_are_refused(class_of: Callable[..., Path], exported: Export) -> None:
    with pytest.raises(ExportError, match="not by unit"):
        exported(class_of(record("ada")), "csv", by="unit")
