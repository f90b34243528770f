"""CSVs of moments, one a learner or one a learner and unit: when work was handed in, until when someone may.

Columns are found by their headers: the learner (as in a roster: an id, login, email or name), the moment, and the unit
where there is one. A row without a unit, or with `*`, is about every unit that has no row of its own. Where learners
have several attempts, a column says which attempt; a row without one is about the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from grader.course import Course
from grader.course.moments import EXAMPLE, placed, read_moment, read_zone
from grader.course.phrases import quoted
from grader.policy.lateness import earliest, latest
from grader.policy.rules import EVERY_UNIT

from .csv_rows import NumberedRows, first_of, lacking, titled_rows
from .learners import Learner
from .named import LEARNERS, by_name

MOMENTS = ("time", "handedin", "handedinat", "submitted", "submittedat", "submissiontime", "timestamp", "until",
           "extendeduntil", "extension", "due", "newdue")  # fmt: skip
UNITS = ("unit", "assignment", "folder")
ATTEMPTS = ("attempt", "attemptname", "attemptnumber")


class TimesError(Exception):
    """A CSV of moments cannot be used; the text is one sentence for people."""


@dataclass(frozen=True)
class Row:
    """One row: whose (as it is written there), of which unit (or EVERY_UNIT), when in UTC, of which attempt if said."""

    learner: str
    unit: str
    moment: datetime
    attempt: str = ""


def read_hand_ins(path: Path, course: Course, *, attempts: bool = False) -> list[Row]:
    """The rows of a CSV of hand-ins; a time that clocks showed twice is the earlier one. Raises as `_read` does.

    attempts: whether a column may say which attempt a row is about; otherwise a learner hands in once.
    """
    return _read(path, course, earliest, attempts=attempts)


def read_extensions(path: Path, course: Course) -> list[Row]:
    """The rows of a CSV of extensions; a time that clocks show twice is the later one. Raises as `_read` does."""
    return _read(path, course, latest)


_Instant = Callable[[datetime], datetime]


def _read(path: Path, course: Course, instant: _Instant, *, attempts: bool = False) -> list[Row]:
    """The rows of a CSV of moments; one without its distance from UTC is in the course's time zone.

    Raises TimesError for a file that cannot be read, lacks a column, or says anything that is no moment of a unit, or
    two moments for the same: marks hang on it, so nothing is guessed.
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
    who, when, what, which = (first_of(titles, columns) for titles in (LEARNERS, MOMENTS, UNITS, attempts))
    if who is None or when is None:
        lacked = "columns for learners and times"
        raise TimesError(lacking(path, lacked, "learner,time", f"ada,{EXAMPLE} +00:00"))
    first: dict[tuple[str, str, str], int] = {}
    for number, cells in rows:
        if cells[who] and not cells[when]:  # systems list those who handed in nothing, too
            continue
        unit = cells[what] if what is not None else ""
        row = _row(f"{path}, row {number}", cells[who], unit, cells[when], course, instant)
        row = replace(row, attempt=cells[which] if which is not None else "")
        if (earlier := first.setdefault((row.learner, row.unit, row.attempt), number)) != number:
            raise TimesError(f"{path}, row {number}: {quoted(row.learner)} is in row {earlier} already.")
        yield row


def _row(place: str, learner: str, unit: str, when: str, course: Course, instant: _Instant) -> Row:
    if not learner:
        raise TimesError(f"{place}: there is no learner.")
    if unit not in ("", EVERY_UNIT, *(each.folder for each in course.units)):
        raise TimesError(f"{place}: there is no unit {quoted(unit)} in the course.")
    moment = read_moment(when)
    if moment is None:
        raise TimesError(f"{place}: {quoted(when)} is not a date and a time such as {EXAMPLE}.")
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
    """The moments of each learner by unit, under the learners' names in the results; and what names nobody of them.

    Of two rows that turn out to be of one learner and unit, the later moment counts.
    """
    found, unknown = by_attempt((replace(row, attempt="") for row in rows), learners)
    return {name: attempts[""] for name, attempts in found.items()}, unknown


def by_attempt(
    rows: Iterable[Row], learners: Sequence[Learner]
) -> tuple[dict[str, dict[str, Moments]], tuple[str, ...]]:
    """As `by_learner`, but each learner's moments are kept apart by the attempt, as it is written in the rows."""
    named, unknown = by_name(rows, learners)
    found: dict[str, dict[str, Moments]] = {}
    for name, row in named:
        moments = found.setdefault(name, {}).setdefault(row.attempt, {})
        moments[row.unit] = max(moments.get(row.unit, row.moment), row.moment)
    return found, unknown
