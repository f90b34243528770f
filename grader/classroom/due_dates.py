"""When work is due, how late it is, and both in words.

Lateness is counted in started days. A day of lateness ends at the time of day at which the work was due, by local
clocks: a day on which clocks change has 23 or 25 hours. If a local time is ambiguous, because clocks show it twice or
skip it, work is due at the later instant and handed in at the earlier one: in the learner's favour.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from grader.course import Course
from grader.course.moments import placed, read_moment, read_zone
from grader.render.wording import counted

MOST_DAYS = 10_000
"""Counting started days stops here."""
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")  # fmt: skip
"""`strftime` gives English names only in an English locale."""


def due_dates(course: Course) -> dict[str, datetime]:
    """When each unit is due, by folder; units that are missing here are never late."""
    zone = read_zone(course.policy.time_zone) if course.policy.time_zone else None
    written = {folder: read_moment(text) for folder, text in course.policy.due.items()}
    found = {folder: placed(moment, zone) for folder, moment in written.items() if moment}
    return {folder: moment for folder, moment in found.items() if moment}


def extended(due: datetime, days: float) -> datetime:
    """So many days of 24 hours after `due`, in its time zone."""
    return (latest(due) + timedelta(days=days)).astimezone(due.tzinfo) if days else due


def latest(moment: datetime) -> datetime:
    """The latest UTC instant that a local time can mean."""
    return max(_instants(moment))


def earliest(moment: datetime) -> datetime:
    """The earliest UTC instant that a local time can mean."""
    return min(_instants(moment))


def _instants(moment: datetime) -> list[datetime]:
    return [moment.replace(fold=fold).astimezone(timezone.utc) for fold in (0, 1)]


def late_by(handed_in: datetime, due: datetime) -> timedelta:
    """The time elapsed from `due` to `handed_in`; zero if handed in on time."""
    return max(earliest(handed_in) - latest(due), timedelta(0))


def started_days(handed_in: datetime, due: datetime) -> int:
    """The number of started days of lateness: 0 on time, 1 from the first moment after `due`."""
    late = late_by(handed_in, due)
    possible = range(max(late.days - 1, 0), MOST_DAYS)  # clocks change by less than a day
    return next((days for days in possible if not late_by(handed_in, due + timedelta(days=days))), MOST_DAYS)


def moment(when: datetime) -> str:
    """A moment with its zone: 1 March 2026, 12:00 UTC."""
    zone = when.tzname() or ""
    seconds = f":{when.second:02d}" if when.second else ""
    clock = f"{when.hour:02d}:{when.minute:02d}{seconds}"
    return f"{when.day} {MONTHS[when.month - 1]} {when.year}, {clock} {f'UTC{zone}' if zone[:1] in '+-' else zone}"


def duration(length: timedelta) -> str:
    """A duration by its two largest units: 1 day and 3 hours. The rest is left out."""
    hours, rest = divmod(length.seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    parts = ((length.days, "day"), (hours, "hour"), (minutes, "minute"), (seconds, "second"))
    first = next((place for place, (count, _) in enumerate(parts) if count), len(parts))
    shown = [counted(count, noun) for place, (count, noun) in enumerate(parts[: first + 2]) if count]
    return " and ".join(shown) or "less than a second"
