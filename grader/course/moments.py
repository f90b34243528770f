"""Points in time as an instructor writes them: a date and a time, with or without a UTC offset."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

EXAMPLE = "2026-03-01 12:00"

_MOMENT = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})[ T](?P<time>\d{2}:\d{2}(?::\d{2})?)(?:\.\d{1,6})?"
    r" ?(?P<utc>Z|UTC)?(?P<offset>[+-]\d{2}:?\d{2})?",
    re.ASCII,
)
_FIRST_YEAR, _LAST_YEAR = 1970, 9000  # far from where adding durations would overflow


def read_moment(text: str) -> datetime | None:
    """Parse a moment such as `2026-03-01 12:00` or `2026-03-01T12:00+01:00`; None for other text.

    The result has a time zone only if the text gives one.
    """
    found = _MOMENT.fullmatch(text.strip())
    if found is None or (found["utc"] and found["offset"]):
        return None
    try:
        moment = datetime.fromisoformat(f"{found['date']} {found['time']}")
        zone = _offset(found["offset"]) if found["offset"] else timezone.utc if found["utc"] else None
    except ValueError:
        return None
    return moment.replace(tzinfo=zone) if _FIRST_YEAR <= moment.year <= _LAST_YEAR else None


def placed(moment: datetime, zone: tzinfo | None) -> datetime | None:
    """The moment in its own time zone, else in `zone`; None when it has neither."""
    return moment if moment.tzinfo else moment.replace(tzinfo=zone) if zone else None


def read_zone(name: str) -> ZoneInfo | None:
    """The time zone of that name, such as `Europe/Vienna`; None when this machine does not know it."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def _offset(text: str) -> timezone:
    hours, minutes = int(text[1:3]), int(text[-2:])
    if minutes >= 60:
        raise ValueError(text)
    distance = timedelta(hours=hours, minutes=minutes)
    return timezone(-distance if text.startswith("-") else distance)
