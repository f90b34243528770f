"""The columns of Moodle's grading worksheet, whose titles are in the language of whoever downloads it.

They are found by what they hold. Moodle writes them in this order (mod/assign/gradingtable.php of moodle/moodle):
participant, full name, fields of the site such as e-mail address and ID number, state, grade, maximum, whether the
grade can be changed, two dates, and what the feedback plugins add.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

IDENTIFIER, FULL_NAME, EMAIL, ID_NUMBER = "identifier", "fullname", "emailaddress", "idnumber"
GRADE, MAXIMUM, COMMENTS = "grade", "maximumgrade", "feedbackcomments"
SUBMITTED = "lastmodifiedsubmission"
NOTHING = "-"
"""What Moodle writes in place of a date or a grade that is not there."""

_PARTICIPANT = re.compile(r"([^0-9]+)([0-9]+)")
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)?")
_DATE = re.compile(r"(?=.*\d{4})(?=.*\d[:.]\d\d).+")
_EMAIL = re.compile(r"\S+@\S+")
_ID = re.compile(r"[\w.-]*[0-9][\w.-]*")


def letters(title: str) -> str:
    """A column's title in lower case, without anything but letters."""
    return re.sub(r"[\W\d_]+", "", unicodedata.normalize("NFC", title).casefold())


def in_english(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The columns, as `letters` spells them, with their English names if the table is a worksheet."""
    cells = [[row[place].strip() for row in rows] for place in range(len(columns))]
    if IDENTIFIER in columns or not rows or not cells or not _are_participants(cells[0]):
        return tuple(columns)
    maximum = next((place for place in range(2, len(cells)) if _is_maximum(cells[place - 1], cells[place])), None)
    if maximum is None:
        return tuple(columns)
    dates = [place for place in range(maximum + 1, len(cells)) if all(map(_is_date, cells[place]))]
    if not dates:
        return tuple(columns)
    names = {0: IDENTIFIER, 1: FULL_NAME, maximum - 1: GRADE, maximum: MAXIMUM}
    names[next((place for place in dates if set(cells[place]) != {NOTHING}), dates[0])] = SUBMITTED
    if len(cells) - 1 > dates[-1]:
        names[len(cells) - 1] = COMMENTS
    between = range(2, maximum - 1)
    names |= dict.fromkeys([place for place in between if _are_all(_EMAIL, cells[place])][:1], EMAIL)
    names |= dict.fromkeys([place for place in between if _are_all(_ID, cells[place])][:1], ID_NUMBER)
    return tuple(names.get(place, column) for place, column in enumerate(columns))


def _are_participants(cells: Sequence[str]) -> bool:
    """Whether these are `Participant 1`, `Participant 2`, in any language."""
    found = [_PARTICIPANT.fullmatch(cell) for cell in cells]
    known = [(each[1], each[2]) for each in found if each]
    return len(known) == len(set(known)) == len(cells) and len({word for word, _ in known}) == 1


def _are_all(kind: re.Pattern[str], cells: Sequence[str]) -> bool:
    """Whether all cells that are filled are of this kind, and different."""
    filled = list(filter(None, cells))
    return bool(filled) and len(set(filled)) == len(filled) and all(map(kind.fullmatch, filled))


def _is_maximum(before: Sequence[str], cells: Sequence[str]) -> bool:
    """Whether a column has one number for everybody, beside one of grades."""
    are_grades = all(cell in ("", NOTHING) or _NUMBER.fullmatch(cell) for cell in before)
    return are_grades and len(set(cells)) == 1 and _NUMBER.fullmatch(cells[0]) is not None


def _is_date(cell: str) -> bool:
    return cell == NOTHING or _DATE.fullmatch(cell) is not None
