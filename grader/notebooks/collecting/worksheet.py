"""Moodle's grading worksheet, a CSV that tells who is behind a participant's number.

Its first column holds "Participant 1234567" (in the language of whoever downloads it), others the full name and what
the site shows of its users, mostly "Email address" and "ID number".
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

USUAL_COLUMNS = ("Username", "ID number", "Email address")
"""Where to look for ids, in this order; the first that is filled for everybody counts."""

_NUMBER = re.compile(r"[^0-9]*[^\W0-9][^0-9]*([0-9]+)\s*")  # a word in some language, then the number


class WorksheetError(Exception):
    """The worksheet cannot be used; the text is one sentence."""


def ids_in(content: bytes, column: str = "") -> dict[str, str] | None:
    """The ids by participant's number; None when this is no grading worksheet.

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
        at = header.index(name)
        ids = [row[at].strip() if at < len(row) else "" for row in people]
        if all(ids):
            return dict(zip(numbers, ids, strict=True))
    if not candidates:
        raise WorksheetError(
            f"Which column of the grading worksheet holds the learners' ids? It has {', '.join(header)}; "
            "name one with c.MoodleCollector.id_column."
        )
    raise WorksheetError(f"In the grading worksheet, {' and '.join(candidates)} are not filled for everybody.")


def _rows(content: bytes) -> Sequence[list[str]]:
    try:
        text = content.decode("utf-8-sig")
        first = text.split("\n", 1)[0]
        separator = max(",;\t", key=first.count)
        return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if any(row)]
    except (UnicodeDecodeError, csv.Error):
        return []
