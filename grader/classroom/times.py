"""Hand-in times: from an instructor's tables, and for each attempt.

A table has a time for each learner, or for each learner and unit. Columns are found by their headers: the learner (as
in a roster: an id, login, email or name), the time, and optionally the unit. A row without a unit, or with `*`, is for
every unit that has no row of its own. Where learners have several attempts, a column may name the attempt; a row
without it is about the last.

A time is never used for another attempt. Learners choose the attempts' names. So a time that names no attempt, or a
missing one, cannot simply go to the last name: any attempt without a time of its own was handed in at that time at the
latest, so it counts for all of these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import field_validator, model_validator

from grader.course import Course
from grader.course.errors import quoted
from grader.course.moments import EXAMPLE, placed, read_moment, read_zone
from grader.intake.names import kind_of_file, stem_of
from grader.policy.rules import EVERY_UNIT, deadlines, earliest, latest

from .csv_file import Column, CsvRow, read_rows
from .members import LEARNERS, Learner, by_name
from .spoken_times import EXAMPLE as SPOKEN
from .spoken_times import LANGUAGES, read_spoken

MOMENTS = ("time", "handedin", "handedinat", "submitted", "submittedat", "submissiontime", "timestamp", "until",
           "extendeduntil", "extension", "due", "newdue", "lastmodifiedsubmission")  # fmt: skip
UNITS = ("unit", "assignment", "folder")
DAYS = ("days", "extradays", "moredays")
MOST_DAYS = 366
_DAYS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,2})?")
NO_TIME = "-"
ATTEMPTS = ("attempt", "attemptname", "attemptnumber")


class TimesError(Exception):
    """A CSV of times cannot be used; the message is one sentence for people."""


@dataclass(frozen=True)
class Row:
    """One row: the learner (as written), the unit (or EVERY_UNIT), the time in UTC, and the attempt if given."""

    learner: str
    unit: str
    moment: datetime
    attempt: str = ""


class _TimeRow(CsvRow):
    """One row; one without a time is of somebody who handed in nothing, or has no more time."""

    wanted: ClassVar[str] = "columns for learners and times"
    example: ClassVar[tuple[str, ...]] = ("learner,time", f"ada,{EXAMPLE} +00:00")

    learner: Annotated[str, Column(LEARNERS, "first filled")]
    unit: Annotated[str, Column(UNITS)] = ""
    attempt: Annotated[str, Column(ATTEMPTS)] = ""
    moment: Annotated[datetime | None, Column(MOMENTS, is_needed=True)] = None

    @field_validator("moment", mode="before")
    @classmethod
    def _is_a_moment(cls, text: str) -> datetime | None:
        if text == NO_TIME:  # systems list those who handed in nothing, too
            return None
        moment = read_moment(text) or read_spoken(text)
        if moment is None:
            raise ValueError(
                f"{quoted(text)} is not a date and a time such as {EXAMPLE}, nor as Moodle writes them in "
                f"{LANGUAGES} ({SPOKEN})."
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


def read_hand_ins(path: Path, course: Course, *, attempts: bool = False) -> list[Row]:
    """The rows of a CSV of hand-ins; a time that clocks showed twice is the earlier one. Raises as `_rows` does.

    attempts: whether a column may name the attempt; otherwise a learner hands in once.
    """
    return list(_rows(path, _TimeRow, course, earliest, attempts=attempts))


def read_extensions(path: Path, course: Course) -> list[Row]:
    """The rows of a CSV of extensions; a time that clocks show twice is the later one. Raises as `_rows` does.

    A row with a number of days instead of a time adds these to each due date, or to that of the named unit.
    """
    return list(_rows(path, _ExtensionRow, course, latest))


_Instant = Callable[[datetime], datetime]


def _rows(
    path: Path, model: type[_TimeRow], course: Course, instant: _Instant, *, attempts: bool = False
) -> Iterator[Row]:
    """The rows of a CSV of moments; one without its distance from UTC is in the course's time zone.

    Raises TimesError for a file that cannot be read, lacks a column, has an invalid time or unit, or has two times for
    the same: grades depend on it, so nothing is guessed.
    """
    first: dict[tuple[str, str, str], int] = {}
    for number, told in read_rows(path, model, TimesError):
        place = f"{path}, row {number}"
        if isinstance(told, _ExtensionRow) and told.days is not None:
            yield from _extra(place, told, told.days, course)
            continue
        if told.moment is None:
            continue
        if told.unit not in ("", EVERY_UNIT, *(each.folder for each in course.units)):
            raise TimesError(f"{place}: there is no unit {quoted(told.unit)} in the course.")
        moment = instant(_in_zone(place, told.moment, course))
        row = Row(told.learner, told.unit or EVERY_UNIT, moment, told.attempt if attempts else "")
        if (earlier := first.setdefault((row.learner, row.unit, row.attempt), number)) != number:
            raise TimesError(f"{place}: {quoted(row.learner)} is in row {earlier} already.")
        yield row


def _extra(place: str, told: _TimeRow, days: float, course: Course) -> Iterator[Row]:
    """A row of extra days, as the moments until which somebody may hand in."""
    due = deadlines(course)
    if told.unit not in ("", EVERY_UNIT, *due):
        raise TimesError(f"{place}: there is no unit {quoted(told.unit)} with a due date in the course.")
    for folder, moment in due.items():
        if told.unit in ("", EVERY_UNIT, folder):
            yield Row(told.learner, folder, latest(moment) + timedelta(days=days))


def _in_zone(place: str, moment: datetime, course: Course) -> datetime:
    zone = course.policy.time_zone
    in_zone = placed(moment, read_zone(zone) if zone else None)
    if in_zone is None:
        raise TimesError(
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
    found, unknown = by_attempt((replace(row, attempt="") for row in rows), learners)
    return {name: attempts[""] for name, attempts in found.items()}, unknown


def by_attempt(
    rows: Iterable[Row], learners: Sequence[Learner]
) -> tuple[dict[str, dict[str, Moments]], tuple[str, ...]]:
    """As `by_learner`, but separately for each attempt, named as in the rows."""
    named, unknown = by_name(rows, learners)
    found: dict[str, dict[str, Moments]] = {}
    for name, row in named:
        moments = found.setdefault(name, {}).setdefault(row.attempt, {})
        moments[row.unit] = max(moments.get(row.unit, row.moment), row.moment)
    return found, unknown


@dataclass(frozen=True)
class AttemptTimes:
    """The times of each attempt of a class, by `LEARNER/ATTEMPT`, with remarks.

    without_own: attempts without a time of their own, which have their learner's latest. odd: learner and attempt of
    rows whose attempt does not exist. nobody: names in rows that match no learner.
    """

    at: Mapping[str, Moments]
    without_own: tuple[str, ...]
    odd: tuple[tuple[str, str], ...]
    nobody: tuple[str, ...]


def attempt_times(
    rows: Iterable[Row], learners: Sequence[Learner], attempts: Mapping[str, Sequence[str]]
) -> AttemptTimes:
    """The times of these attempts, given by their learners' names in the results."""
    told, nobody = by_attempt(rows, learners)
    at: dict[str, Moments] = {}
    without_own: list[str] = []
    odd: list[tuple[str, str]] = []
    for learner, names in attempts.items():
        own, strange = _own_times(told.get(learner, {}), names)
        odd += [(learner, name) for name in strange]
        others = _latest(told.get(learner, {}))
        for name in names:
            if moments := _with_others(own.get(name, {}), others):
                at[f"{learner}/{name}"] = moments
            if others and name not in own and (len(names) > 1 or strange):
                without_own.append(f"{learner}/{name}")
    return AttemptTimes(at, tuple(without_own), tuple(odd), nobody)


def _own_times(rows: Mapping[str, Moments], attempts: Sequence[str]) -> tuple[dict[str, Moments], list[str]]:
    """The times of rows that name an attempt, by the attempt; and the names that are none of the learner's attempts.

    Of several rows for one attempt the latest counts.
    """
    alike: dict[str, list[str]] = {}
    for name in attempts:
        alike.setdefault(name.casefold(), []).append(name)

    def meant(written: str) -> str | None:
        if written in attempts:
            return written
        found = alike.get(written.casefold(), [])
        return found[0] if len(found) == 1 else None  # if attempts A and a exist, another spelling means neither

    found: dict[str, Moments] = {}
    odd: list[str] = []
    for written, moments in rows.items():
        attempt = meant(written) or meant(_without_ending(written))
        if attempt is not None:
            found[attempt] = _latest({"1": found.get(attempt, {}), "2": moments})
        elif written:
            odd.append(written)
    return found, odd


def _without_ending(name: str) -> str:
    return name if kind_of_file(name) == "unknown" else stem_of(name)


def _latest(rows: Mapping[str, Moments]) -> Moments:
    """The time for attempts without their own: that of the row without an attempt, else the latest of all."""
    if "" in rows:
        return rows[""]
    latest: Moments = {}
    for moments in rows.values():
        for unit, moment in moments.items():
            latest[unit] = max(latest.get(unit, moment), moment)
    return latest


def _with_others(own: Moments, others: Moments) -> Moments:
    return own if EVERY_UNIT in own else {**others, **own}
