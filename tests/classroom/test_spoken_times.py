"""Times as Moodle writes them for people, in its languages; and what is none."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import pytest

from grader.classroom.members import Learner
from grader.classroom.spoken_times import read_spoken
from grader.classroom.times import TimesError, by_learner, read_hand_ins
from grader.course import Course

NOON = datetime(2026, 3, 1, 12, 14)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Sunday, 1 March 2026, 12:14 PM", id="English"),
        pytest.param("Sunday, March 1, 2026, 12:14 PM", id="American"),
        pytest.param("1 Mar 2026, 12:14", id="short"),
        pytest.param("Sonntag, 1. März 2026, 12:14", id="German"),
        pytest.param("dimanche 1 mars 2026, 12:14", id="French"),
        pytest.param("domingo, 1 de marzo de 2026, 12:14", id="Spanish"),
        pytest.param("domenica, 1 marzo 2026, 12:14", id="Italian"),
        pytest.param("zondag, 1 maart 2026, 12:14", id="Dutch"),
        pytest.param("domingo, 1 de março de 2026 às 12:14", id="Portuguese"),
        pytest.param("2026年03月1日 星期日 12:14", id="Chinese"),
        pytest.param("2026年 03月 1日(日曜日) 12:14", id="Japanese"),
        pytest.param("2026년 3월 1일 일요일 오후 12:14", id="Korean"),
        pytest.param("Sunday,\u00a01 Ma\u0072ch 2026, 12:14\u202fPM", id="with other blanks"),
        pytest.param("Sonntag, 1. Ma\u0308rz 2026, 12:14", id="with an accent of its own"),
    ],
)
def test_moment_is_read(text: str) -> None:
    assert read_spoken(text) == NOON


@pytest.mark.parametrize(
    ("text", "hour"),
    [("12:14 AM", 0), ("1:14 AM", 1), ("11:14 PM", 23), ("11:14 p.m.", 23), ("23:14", 23), ("0:14", 0)],
    ids=str,
)
def test_halves_of_the_day_are_told_apart(text: str, hour: int) -> None:
    assert read_spoken(f"Sunday, 1 March 2026, {text}") == datetime(2026, 3, 1, hour, 14)


@pytest.mark.parametrize(
    "text",
    [
        "Sunday, 1 Marsch 2026, 12:14 PM",
        "Sunday, 31 February 2026, 12:14 PM",
        "Sunday, 1 March 2026, 13:14 PM",
        "Sunday, 1 March 2026, 0:14 AM",
        "Sunday, 1 March 2026, 25:14",
        "Sunday, 1 March 2026",
        "01/03/2026 12:14",
        "niedziela, 1 marca 2026, 12:14",
        "a" * 5000,
        "",
    ],
    ids=lambda text: text[:40] or "nothing",
)
def test_nothing_is_guessed(text: str) -> None:
    assert read_spoken(text) is None


WORKSHEET = """\
Identifier,"Full name","ID number","Email address",Status,Grade,"Maximum Grade","Grade can be changed",\
"Last modified (submission)","Last modified (grade)","Feedback comments"
"Participant 501","Ada Byron",7,ada@uni.example,"Submitted for grading",,100.00,Yes,"Sunday, 1 March 2026, 12:14 PM",-,
"Participant 502","Bo Chen",,bo@uni.example,"Submitted for grading",,100.00,Yes,"Saturday, 28 February 2026, 9:05 AM",-,
"Participant 503","Cy Dee",9,cy@uni.example,"No submission",,100.00,Yes,-,-,
"""


def test_moodles_grading_worksheet_tells_who_handed_in_when(tmp_path: Path, vienna: Course) -> None:
    (tmp_path / "worksheet.csv").write_text(WORKSHEET, "utf-8")
    rows = read_hand_ins(tmp_path / "worksheet.csv", vienna)
    learners = [
        Learner(name="7", shown="Ada Byron", email="ada@uni.example"),
        Learner(name="bo@uni.example", shown="Bo Chen", email="bo@uni.example"),
    ]
    found, unknown = by_learner(rows, learners)
    assert unknown == ()
    assert found == {
        "7": {"*": datetime(2026, 3, 1, 11, 14, tzinfo=timezone.utc)},
        "bo@uni.example": {"*": datetime(2026, 2, 28, 8, 5, tzinfo=timezone.utc)},
    }


def test_time_in_another_language_is_one_sentence_that_says_which_are_read(tmp_path: Path, vienna: Course) -> None:
    (tmp_path / "times.csv").write_text('learner,time\nada,"niedziela, 1 marca 2026, 12:14"\n', "utf-8")
    with pytest.raises(TimesError, match=r"row 2: .*niedziela.* nor as Moodle writes them in English, German"):
        read_hand_ins(tmp_path / "times.csv", vienna)
