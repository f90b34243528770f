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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from grader.course import Course
from grader.course.errors import quoted
from grader.course.moments import EXAMPLE, placed, read_moment, read_zone
from grader.intake.names import kind_of_file, stem_of
from grader.policy.rules import EVERY_UNIT, deadlines, earliest, latest

from .members import LEARNERS, Learner, by_name
from .roster import NumberedRows, first_of, lacking, titled_rows
from .spoken_times import EXAMPLE as SPOKEN
from .spoken_times import LANGUAGES, read_spoken

MOMENTS = ("time", "handedin", "handedinat", "submitted", "submittedat", "submissiontime", "timestamp", "until",
           "extendeduntil", "extension", "due", "newdue", "lastmodifiedsubmission")  # fmt: skip
UNITS = ("unit", "assignment", "folder")
DAYS = ("days", "extradays", "moredays")
MOST_DAYS = 366
_DAYS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,2})?")
NO_TIME = ("", "-")
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


def read_hand_ins(path: Path, course: Course, *, attempts: bool = False) -> list[Row]:
    """The rows of a CSV of hand-ins; a time that occurs twice when clocks change is the earlier one. Raises as `_read`.

    attempts: whether a column may name the attempt; otherwise a learner hands in once.
    """
    return _read(path, course, earliest, attempts=attempts)


def read_extensions(path: Path, course: Course) -> list[Row]:
    """The rows of a CSV of extensions; a time that occurs twice when clocks change is the later one. Raises as `_read`.

    A row with a number of days instead of a time adds these to each due date, or to that of the named unit.
    """
    with titled_rows(path, TimesError) as (columns, rows):
        days = first_of(DAYS, columns)
        if days is None:
            return list(_rows(path, columns, rows, course, latest, ()))
        given = list(rows)
        extra = [row for number, cells in given if cells[days] for row in _extra(path, columns, number, cells, course)]
        until = ((number, cells) for number, cells in given if not cells[days])
        has_until = first_of(MOMENTS, columns) is not None
        return [*(_rows(path, columns, until, course, latest, ()) if has_until else ()), *extra]


def _extra(path: Path, columns: Sequence[str], number: int, cells: Sequence[str], course: Course) -> Iterator[Row]:
    """Turn a row of extra days into the times until which the learner may hand in."""
    place = f"{path}, row {number}"
    learner = _learner_in(columns, cells)
    if not learner:
        raise TimesError(f"{place}: there is no learner.")
    what, days = first_of(UNITS, columns), cells[first_of(DAYS, columns) or 0]
    unit = cells[what] if what is not None else ""
    due = deadlines(course)
    if unit not in ("", EVERY_UNIT, *due):
        raise TimesError(f"{place}: there is no unit {quoted(unit)} with a due date in the course.")
    if not _DAYS.fullmatch(days) or not 0 < float(days) <= MOST_DAYS:
        raise TimesError(f"{place}: {quoted(days)} is no number of days from 0.1 to {MOST_DAYS}.")
    for folder, moment in due.items():
        if unit in ("", EVERY_UNIT, folder):
            yield Row(learner, folder, latest(moment) + timedelta(days=float(days)))


_Instant = Callable[[datetime], datetime]


def _read(path: Path, course: Course, instant: _Instant, *, attempts: bool = False) -> list[Row]:
    """The rows of a CSV of times; a time without an offset from UTC is in the course's time zone.

    Raises TimesError for a file that cannot be read, lacks a column, has an invalid time or unit, or has two times for
    the same: grades depend on it, so nothing is guessed.
    """
    with titled_rows(path, TimesError) as (columns, rows):
        return list(_rows(path, columns, rows, course, instant, ATTEMPTS if attempts else ()))


def _rows(
    path: Path,
    columns: Sequence[str],
    rows: NumberedRows,
    course: Course,
    instant: _Instant,
    attempts: Sequence[str],
) -> Iterator[Row]:
    when, what, which = (first_of(titles, columns) for titles in (MOMENTS, UNITS, attempts))
    if first_of(LEARNERS, columns) is None or when is None:
        wanted = "columns for learners and times"
        raise TimesError(lacking(path, wanted, "learner,time", f"ada,{EXAMPLE} +00:00"))
    first: dict[tuple[str, str, str], int] = {}
    for number, cells in rows:
        learner = _learner_in(columns, cells)
        if learner and cells[when] in NO_TIME:  # some systems also list learners who handed in nothing
            continue
        unit = cells[what] if what is not None else ""
        row = _row(f"{path}, row {number}", learner, unit, cells[when], course, instant)
        row = replace(row, attempt=cells[which] if which is not None else "")
        if (earlier := first.setdefault((row.learner, row.unit, row.attempt), number)) != number:
            raise TimesError(f"{path}, row {number}: {quoted(row.learner)} is in row {earlier} already.")
        yield row


def _learner_in(columns: Sequence[str], cells: Sequence[str]) -> str:
    """The learner of a row: the first column for it that is not empty."""
    told = (cells[columns.index(title)] for title in LEARNERS if title in columns)
    return next(filter(None, told), "")


def _row(place: str, learner: str, unit: str, when: str, course: Course, instant: _Instant) -> Row:
    if not learner:
        raise TimesError(f"{place}: there is no learner.")
    if unit not in ("", EVERY_UNIT, *(each.folder for each in course.units)):
        raise TimesError(f"{place}: there is no unit {quoted(unit)} in the course.")
    moment = read_moment(when) or read_spoken(when)
    if moment is None:
        raise TimesError(
            f"{place}: {quoted(when)} is not a date and a time such as {EXAMPLE}, nor as Moodle writes them in "
            f"{LANGUAGES} ({SPOKEN})."
        )
    zone = course.policy.time_zone
    in_zone = placed(moment, read_zone(zone) if zone else None)
    if in_zone is None:
        raise TimesError(
            f"{place}: nobody knows in which time zone {quoted(when)} is: write {EXAMPLE} +01:00, "
            "or add time_zone to the policy in course.yml."
        )
    return Row(learner, unit or EVERY_UNIT, instant(in_zone))


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
