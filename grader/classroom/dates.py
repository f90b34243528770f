"""Reads a date with a clock as programs write it for people, in any language: `Sunday, 1 March 2026, 12:14 PM`."""

from __future__ import annotations

import re
from datetime import datetime

from grader.errors import KataError

EXAMPLE = "Sunday, 1 March 2026, 12:14 PM"
LONGEST = 100
_CLOCK = re.compile(r"(?<!\d)\d{1,2}[:.](\d{2})(?!\d)")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_IN_NUMBERS = re.compile(r"\d\s?[/.-]\s?\d{1,2}\s?[/.-]\s?\d")  # 01/03/2026 is a day of January or of March
_SETTINGS = {"PARSERS": ["absolute-time"], "STRICT_PARSING": True}


def read_date(text: str) -> datetime | None:
    """The date and time in `text`, without a time zone unless it names one; None for any other text.

    Nothing is guessed: a day, a month in words, a year of four digits and a clock have to be there.

    Raises KataError when dateparser is not installed.
    """
    clock = _CLOCK.search(text)
    if len(text) > LONGEST or clock is None or not _YEAR.search(text) or _IN_NUMBERS.search(text):
        return None
    try:
        import dateparser
    except ModuleNotFoundError:
        raise KataError(
            f"dateparser is not installed, and dates such as {text!r} need it: make instructor, in a clone of the "
            "course, or pip install dateparser."
        ) from None
    found: datetime | None = dateparser.parse(" ".join(text.split()), settings=_SETTINGS)
    return found if found is not None and found.minute == int(clock[1]) else None
