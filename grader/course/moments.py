"""Points in time as an instructor writes them: a date and a time, with or without a UTC offset."""

from __future__ import annotations

import re
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

EXAMPLE = "2026-03-01 12:00"

_MOMENT = re.compile(
    r"(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)(?:\.\d{1,6})?(?: ?(Z|UTC)| ?([+-]\d{2}):?([0-5]\d))?", re.ASCII
)
_FIRST_YEAR, _LAST_YEAR = 1970, 9000  # far from where adding durations would overflow


def read_moment(text: str) -> datetime | None:
    """Parse a moment such as `2026-03-01 12:00` or `2026-03-01T12:00+01:00`; None for other text.

    The result has a time zone only if the text gives one.
    """
    found = _MOMENT.fullmatch(text.strip())
    if found is None:
        return None
    date, time, is_utc, hours, minutes = found.groups()
    offset = "+00:00" if is_utc else f"{hours}:{minutes}" if hours else ""
    try:
        moment = datetime.fromisoformat(f"{date} {time}{offset}")
    except ValueError:
        return None
    return moment if _FIRST_YEAR <= moment.year <= _LAST_YEAR else None


def placed(moment: datetime, zone: tzinfo | None) -> datetime | None:
    """The moment in its own time zone, else in `zone`; None when it has neither."""
    return moment if moment.tzinfo else moment.replace(tzinfo=zone) if zone else None


def read_zone(name: str) -> ZoneInfo | None:
    """The time zone of that name, such as `Europe/Vienna`; None when this machine does not know it."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None
