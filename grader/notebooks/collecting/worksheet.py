"""Moodle's grading worksheet, a CSV that tells who is behind a participant's number.

Its first column holds "Participant 1234567" (in the language of whoever downloads it), others the full name, what the
site shows of its users, mostly "Email address" and "ID number", and when the submission was changed last.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone, tzinfo

from grader.classroom.spoken_times import read_spoken
from grader.course.moments import placed, read_moment

USUAL_COLUMNS = ("Username", "ID number", "Email address")
"""Where to look for ids, in this order; the first that is filled for everybody counts."""

EMAIL = "Email address"
CHANGED = "Last modified (submission)"
_NUMBER = re.compile(r"[^0-9]*[^\W0-9][^0-9]*([0-9]+)\s*")  # a word in some language, then the number


class WorksheetError(Exception):
    """The worksheet cannot be used; the text is one sentence."""


@dataclass(frozen=True)
class Listed:
    """What the worksheet tells of a participant; empty for what it does not."""

    id: str
    email: str = ""
    changed: str = ""
    """When the submission was changed last, in Moodle's words."""


def learners_in(content: bytes, column: str = "") -> dict[str, Listed] | None:
    """The learners by participant's number; None when this is no grading worksheet.

    column: the header of the column with the ids; one of the usual ones when empty.

    Raises WorksheetError when there is no such column, or it leaves somebody out.
    """
    rows = _rows(content)
    if not rows:
        return None
    header, *people = rows
    numbers = [found[1] if (found := _NUMBER.fullmatch(row[0])) else "" for row in people]
    if not people or not all(numbers):
        return None
    candidates = [column] if column else [name for name in USUAL_COLUMNS if name in header]
    for name in candidates:
        if name not in header:
            raise WorksheetError(f"The grading worksheet has no column {name!r}; it has {', '.join(header)}.")
        ids = list(_column(header, people, name))
        if all(ids):
            emails = (text if "@" in text else "" for text in _column(header, people, EMAIL))
            changed = (text if text != "-" else "" for text in _column(header, people, CHANGED))
            return dict(zip(numbers, map(Listed, ids, emails, changed), strict=True))
    if not candidates:
        raise WorksheetError(
            f"Which column of the grading worksheet holds the learners' ids? It has {', '.join(header)}; "
            "name one with c.MoodleCollector.id_column."
        )
    raise WorksheetError(f"In the grading worksheet, {' and '.join(candidates)} are not filled for everybody.")


def moment_of(text: str, zone: tzinfo | None = None) -> datetime | None:
    """The moment that Moodle writes, such as "Sunday, 1 March 2026, 12:14 PM", in UTC; None for other text.

    zone: where it was written; None for this computer's.
    """
    found = read_moment(text) or read_spoken(text)
    if found is None:
        return None
    return (placed(found, zone) or found).astimezone(timezone.utc)


def _column(header: Sequence[str], people: Sequence[Sequence[str]], name: str) -> Iterator[str]:
    """What a column holds, a text for each; empty ones where there is no such column."""
    at = header.index(name) if name in header else len(header)
    return (row[at].strip() if at < len(row) else "" for row in people)


def _rows(content: bytes) -> Sequence[list[str]]:
    try:
        text = content.decode("utf-8-sig")
        first = text.split("\n", 1)[0]
        separator = max(",;\t", key=first.count)
        return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if any(row)]
    except (UnicodeDecodeError, csv.Error):
        return []
