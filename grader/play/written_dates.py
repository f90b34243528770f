"""The dates that the translator of `kata play` reads, and how it writes them."""

from __future__ import annotations

import datetime
import random

FIRST_HALF = ("january", "february", "march", "april", "may", "june")
MONTHS = (*FIRST_HALF, "july", "august", "september", "october", "november", "december")
LETTERS = " ,./-0123456789abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789-"
SLOTS = len("2024-05-03")
LONGEST = len("september 30, 2024")
FIRST, LAST = datetime.date(1900, 1, 1), datetime.date(2099, 12, 31)
FORMS = ("{day} {month} {year}", "{month} {day}, {year}", "{day}.{number}.{year}", "{day} {short} {year}")


def pair(chance: random.Random) -> tuple[str, str]:
    """A random date in one of the forms, and its translation."""
    date = FIRST + datetime.timedelta(days=chance.randint(0, (LAST - FIRST).days))
    return written(date, chance.choice(FORMS)), date.isoformat()


def written(date: datetime.date, form: str) -> str:
    """A date in one of the forms."""
    month = MONTHS[date.month - 1]
    return form.format(day=date.day, month=month, short=month[:3], number=date.month, year=date.year)


def encode(text: str) -> list[int]:
    """The number of each letter, padded with blanks. Raises ValueError, with a sentence, for an unreadable text."""
    lowered = text.lower()
    if unknown := sorted(set(lowered) - set(LETTERS)):
        raise ValueError(f"The translator reads letters, digits, blanks and ,./- but not {unknown[0]!r}.")
    if not 1 <= len(lowered) <= LONGEST:
        raise ValueError(f"Type a date of at most {LONGEST} letters, such as 3 May 2024.")
    return [LETTERS.index(letter) for letter in lowered.ljust(LONGEST)]
