"""Started days of lateness, on the clocks of the place where work was due."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from grader.course.moments import placed, read_moment
from grader.policy.adjusting import duration, moment
from grader.policy.rules import late_by, latest, started_days

VIENNA = ZoneInfo("Europe/Vienna")


def at(text: str) -> datetime:
    """A moment; in Vienna unless it says otherwise."""
    read = read_moment(text)
    assert read is not None
    found = placed(read, VIENNA)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("due", "handed_in", "days"),
    [
        pytest.param("2026-03-01 12:00", "2026-02-01 12:00", 0, id="a month early"),
        pytest.param("2026-03-01 12:00", "2026-03-01 12:00", 0, id="to the second"),
        pytest.param("2026-03-01 12:00", "2026-03-01 12:00:01", 1, id="a second late"),
        pytest.param("2026-03-01 12:00", "2026-03-02 12:00", 1, id="a day to the second"),
        pytest.param("2026-03-01 12:00", "2026-03-02 12:00:01", 2, id="a day and a second"),
        pytest.param("2026-03-01 12:00", "2026-03-01T11:00:00Z", 0, id="in time, told in UTC"),
        pytest.param("2026-03-01 12:00", "2026-03-01 13:00 +02:00", 0, id="in time, told further east"),
        pytest.param("2026-03-28 12:00", "2026-03-29 12:00", 1, id="a day of 23 hours"),
        pytest.param("2026-03-28 12:00", "2026-03-29 12:00:01", 2, id="a day of 23 hours and a second"),
        pytest.param("2026-10-24 12:00", "2026-10-25 12:00", 1, id="a day of 25 hours"),
        pytest.param("2026-10-24 12:00", "2026-10-25 12:00:01", 2, id="a day of 25 hours and a second"),
        pytest.param("2026-03-28 12:00 +01:00", "2026-03-29 13:00", 1, id="an offset has no summer"),
        pytest.param("2026-10-25 02:30", "2026-10-25T01:30:00Z", 0, id="due when clocks show it twice: the later"),
        pytest.param("2026-10-25 02:30", "2026-10-25T01:30:01Z", 1, id="after the later of the two"),
        pytest.param("2026-03-29 02:30", "2026-03-29T01:30:00Z", 0, id="due at a time that is skipped"),
        pytest.param("2026-10-24 02:30", "2026-10-25 02:30", 1, id="handed in when clocks show it twice"),
        pytest.param("2026-03-01 12:00", "2027-03-01 12:00", 365, id="a year"),
        pytest.param("1990-01-01 12:00", "2026-01-01 12:00", 10_000, id="no more are counted"),
    ],
)
def test_started_days(due: str, handed_in: str, days: int) -> None:
    assert started_days(at(handed_in), at(due)) == days


def test_the_time_that_has_passed_is_the_real_one() -> None:
    assert late_by(at("2026-03-29 12:00"), at("2026-03-28 12:00")) == timedelta(hours=23)
    assert late_by(at("2026-03-01 11:00"), at("2026-03-01 12:00")) == timedelta(0)
    assert latest(at("2026-03-01 12:00")) == datetime(2026, 3, 1, 11, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("length", "told"),
    [
        pytest.param(timedelta(days=1, hours=3, minutes=5), "1 day and 3 hours", id="days and hours"),
        pytest.param(timedelta(days=2, minutes=5), "2 days", id="days and minutes"),
        pytest.param(timedelta(hours=1, minutes=1), "1 hour and 1 minute", id="hours and minutes"),
        pytest.param(timedelta(minutes=15), "15 minutes", id="minutes"),
        pytest.param(timedelta(seconds=1), "1 second", id="a second"),
    ],
)
def test_length_of_time_in_words(length: timedelta, told: str) -> None:
    assert duration(length) == told


@pytest.mark.parametrize(
    ("when", "told"),
    [
        pytest.param(at("2026-03-01 12:00"), "1 March 2026, 12:00 CET", id="a zone with a name"),
        pytest.param(at("2026-08-01 09:05:07"), "1 August 2026, 09:05:07 CEST", id="seconds, in summer"),
        pytest.param(at("2026-03-01 12:00Z"), "1 March 2026, 12:00 UTC", id="UTC"),
        pytest.param(at("2026-03-01 12:00 +05:30"), "1 March 2026, 12:00 UTC+05:30", id="an offset"),
        pytest.param(
            datetime(2026, 3, 1, 12, tzinfo=ZoneInfo("America/Sao_Paulo")),
            "1 March 2026, 12:00 UTC-03",
            id="a zone without a name",
        ),
    ],
)
def test_moment_in_words(when: datetime, told: str) -> None:
    assert moment(when) == told


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("2026-03-01", id="no time of day"),
        pytest.param("12:00", id="no date"),
        pytest.param("2026-02-30 12:00", id="no such day"),
        pytest.param("2026-03-01 24:00", id="no such hour"),
        pytest.param("2026-03-01 12:00 +01:60", id="no such offset"),
        pytest.param("2026-03-01 12:00 +24:00", id="an offset of a day"),
        pytest.param("2026-03-01 12:00Z+01:00", id="two zones"),
        pytest.param("0001-01-01 00:00", id="before anybody handed in"),
        pytest.param("9999-12-31 23:59", id="too late to add days"),
        pytest.param("2026-03-01 12:00 CET", id="a name for a zone"),
        pytest.param("٢٠٢٦-03-01 12:00", id="digits of another script"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_is_no_moment(text: str) -> None:
    assert read_moment(text) is None
