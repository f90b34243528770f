"""Times as Moodle writes them for people, in any language; and what is none."""

from __future__ import annotations

import sys
from datetime import datetime

import pytest

from grader.classroom.csv_file import read_date
from grader.errors import KataError

NOON = datetime(2026, 3, 1, 12, 14)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Sunday, 1 March 2026, 12:14 PM", id="English"),
        pytest.param("Sunday, March 1, 2026, 12:14 PM", id="American"),
        pytest.param("1 Mar 2026, 12:14", id="short"),
        pytest.param("Sonntag, 1. März 2026, 12:14", id="German"),
        pytest.param("dimanche 1 mars 2026, 12:14", id="French"),
        pytest.param("domingo, 1 de março de 2026 às 12:14", id="Portuguese"),
        pytest.param("niedziela, 1 marca 2026, 12:14", id="Polish"),
        pytest.param("الأحد، 1 مارس 2026، 12:14", id="Arabic"),
        pytest.param("2026年 03月 1日(日曜日) 12:14", id="Japanese"),
        pytest.param("2026년 3월 1일 일요일 오후 12:14", id="Korean"),
        pytest.param("Sunday,\u00a01 March 2026, 12:14\u202fPM", id="with other blanks"),
    ],
)
def test_date_is_read(text: str) -> None:
    assert read_date(text) == NOON


@pytest.mark.parametrize(("text", "hour"), [("12:14 AM", 0), ("11:14 p.m.", 23), ("23:14", 23)], ids=str)
def test_halves_of_the_day_are_told_apart(text: str, hour: int) -> None:
    assert read_date(f"Sunday, 1 March 2026, {text}") == datetime(2026, 3, 1, hour, 14)


@pytest.mark.parametrize(
    "text",
    [
        "Sunday, 1 Marsch 2026, 12:14 PM",
        "Sunday, 31 February 2026, 12:14 PM",
        "Sunday, 1 March 2026, 25:14",
        "Sunday, 1 March 2026",
        "Sunday, 1 March, 12:14",
        "01/03/2026 12:14",
        "yesterday 12:14",
        "a" * 5000,
        "",
    ],
    ids=lambda text: text[:40] or "nothing",
)
def test_nothing_is_guessed(text: str) -> None:
    assert read_date(text) is None


def test_without_the_library_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dateparser", None)
    assert read_date("2026-03-01 12:14") is None  # what needs no library is no question for it
    with pytest.raises(KataError, match=r"dateparser is not installed.* make instructor"):
        read_date("Sunday, 1 March 2026, 12:14 PM")
