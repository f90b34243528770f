"""Hand-in times and extensions, from an instructor's tables.

A table has a time for each learner, or for each learner and unit. Columns are found by their headers: the learner (as
in a roster: an id, login, email or name), the time, and optionally the unit. A row without a unit, or with `*`, is for
every unit that has no row of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import AwareDatetime, field_validator, model_validator
from pydantic.dataclasses import dataclass

from grader.course import Course
from grader.course.course_error import quoted
from grader.course.moments import EXAMPLE, placed, read_moment, read_zone
from grader.errors import KataError
from grader.policy.rules import EVERY_UNIT, deadlines, earliest, latest

from .csv_file import Column, CsvRow, read_rows
from .dates import EXAMPLE as SPOKEN
from .dates import read_date
from .members import LEARNERS, Learner, by_name

MOMENTS = ("time", "handedin", "handedinat", "submitted", "submittedat", "submissiontime", "timestamp", "until",
           "extendeduntil", "extension", "due", "newdue", "lastmodifiedsubmission")  # fmt: skip
UNITS = ("unit", "assignment", "folder")
DAYS = ("days", "extradays", "moredays")
MOST_DAYS = 366
_DAYS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,2})?")
NO_TIME = "-"


@dataclass(frozen=True)
class Row:
    """One row: the learner (as written), the unit (or EVERY_UNIT), the time in UTC."""

    learner: str
    unit: str
    moment: AwareDatetime


class _TimeRow(CsvRow):
    """One row; one without a time is of somebody who handed in nothing, or has no more time."""

    wanted: ClassVar[str] = "columns for learners and times"
    example: ClassVar[tuple[str, ...]] = ("learner,time", f"ada,{EXAMPLE} +00:00")

    learner: Annotated[str, Column(LEARNERS, "first filled")]
    unit: Annotated[str, Column(UNITS)] = ""
    moment: Annotated[datetime | None, Column(MOMENTS, is_needed=True)] = None

    @field_validator("moment", mode="before")
    @classmethod
    def _is_a_moment(cls, text: str) -> datetime | None:
        if text == NO_TIME:  # systems list those who handed in nothing, too
            return None
        moment = read_moment(text) or read_date(text)
        if moment is None:
            raise ValueError(
                f"{quoted(text)} is not a date and a time such as {EXAMPLE}, nor as Moodle writes them ({SPOKEN})."
            )
        return moment


class _ExtensionRow(_TimeRow):
    """One row of extensions, which may give days; then it gives no time."""

    days: Annotated[float | None, Column(DAYS)] = None

    @classmethod
    def suffice(cls, columns: Collection[str]) -> bool:
        return super().suffice({*columns, MOMENTS[0]} if not set(DAYS).isdisjoint(columns) else columns)

    @model_validator(mode="before")
    @classmethod
    def _days_come_first(cls, filled: dict[str, str]) -> dict[str, str]:
        return {field: text for field, text in filled.items() if field != "moment" or "days" not in filled}

    @field_validator("days", mode="before")
    @classmethod
    def _is_a_number_of_days(cls, text: str) -> float:
        if not _DAYS.fullmatch(text) or not 0 < float(text) <= MOST_DAYS:
            raise ValueError(f"{quoted(text)} is no number of days from 0.1 to {MOST_DAYS}.")
        return float(text)


def read_hand_ins(path: Path, course: Course) -> list[Row]:
    """The rows of a CSV of hand-ins; a time that clocks showed twice is the earlier one. Raises as `_rows` does."""
    return list(_rows(path, _TimeRow, course, earliest))


def read_extensions(path: Path, course: Course) -> list[Row]:
    """The rows of a CSV of extensions; a time that clocks show twice is the later one. Raises as `_rows` does.

    A row with a number of days instead of a time adds these to each due date, or to that of the named unit.
    """
    return list(_rows(path, _ExtensionRow, course, latest))


_Instant = Callable[[datetime], datetime]


def _rows(path: Path, model: type[_TimeRow], course: Course, instant: _Instant) -> Iterator[Row]:
    """The rows of a CSV of moments; one without its distance from UTC is in the course's time zone.

    Raises KataError for a file that cannot be read, lacks a column, has an invalid time or unit, or has two times for
    the same: grades depend on it, so nothing is guessed.
    """
    first: dict[tuple[str, str], int] = {}
    for number, told in read_rows(path, model):
        place = f"{path}, row {number}"
        if isinstance(told, _ExtensionRow) and told.days is not None:
            yield from _extra(place, told, told.days, course)
            continue
        if told.moment is None:
            continue
        if told.unit not in ("", EVERY_UNIT, *(each.folder for each in course.units)):
            raise KataError(f"{place}: there is no unit {quoted(told.unit)} in the course.")
        moment = instant(_in_zone(place, told.moment, course))
        row = Row(told.learner, told.unit or EVERY_UNIT, moment)
        if (earlier := first.setdefault((row.learner, row.unit), number)) != number:
            raise KataError(f"{place}: {quoted(row.learner)} is in row {earlier} already.")
        yield row


def _extra(place: str, told: _TimeRow, days: float, course: Course) -> Iterator[Row]:
    """A row of extra days, as the moments until which somebody may hand in."""
    due = deadlines(course)
    if told.unit not in ("", EVERY_UNIT, *due):
        raise KataError(f"{place}: there is no unit {quoted(told.unit)} with a due date in the course.")
    for folder, moment in due.items():
        if told.unit in ("", EVERY_UNIT, folder):
            yield Row(told.learner, folder, latest(moment) + timedelta(days=days))


def _in_zone(place: str, moment: datetime, course: Course) -> datetime:
    zone = course.policy.time_zone
    in_zone = placed(moment, read_zone(zone) if zone else None)
    if in_zone is None:
        raise KataError(
            f"{place}: nobody knows in which time zone {quoted(str(moment))} is: write {EXAMPLE} "
            "+01:00, or add time_zone to the policy in course.yml."
        )
    return in_zone


Moments = dict[str, datetime]
"""By a unit's folder or EVERY_UNIT."""


def by_learner(rows: Iterable[Row], learners: Sequence[Learner]) -> tuple[dict[str, Moments], tuple[str, ...]]:
    """The times of each learner by unit, by the learners' names in the results; and the names that match no learner.

    If two rows turn out to be for one learner and unit, the later time counts.
    """
    named, unknown = by_name(rows, learners)
    found: dict[str, Moments] = {}
    for name, row in named:
        moments = found.setdefault(name, {})
        moments[row.unit] = max(moments.get(row.unit, row.moment), row.moment)
    return found, unknown
