"""CSVs about a class, as spreadsheets and learning platforms save them: columns are found by their titles."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

NumberedRows = Iterator[tuple[int, list[str]]]
"""Rows under a CSV's titles, each with its number from 2 on, its cells stripped, and at least as many as titles."""

MOST_SHOWN = 120
"""Characters of a line that an error quotes."""
_DELIMITERS = ",;\t|"


@contextmanager
def titled_rows(path: Path, fault: type[Exception]) -> Iterator[tuple[list[str], NumberedRows]]:
    """The titles of a CSV's columns, as `letters` spells them, and the rows under them that are not empty.

    Raises `fault`, with one sentence for people, when the file cannot be read or is no CSV: also while rows are taken.
    """
    text = text_of(path, fault)
    header, *_ = text.splitlines() or [""]
    delimiter = max(_DELIMITERS, key=header.count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        columns = [letters(title) for title in next(lines, [])]
        yield columns, _filled(lines, len(columns))
    except csv.Error as error:
        raise fault(f"{path}, line {lines.line_num}: this is not a CSV file ({error}).") from None


def _filled(lines: Iterator[list[str]], width: int) -> NumberedRows:
    for number, line in enumerate(lines, 2):
        cells = [cell.strip() for cell in line] + [""] * (width - len(line))
        if any(cells):
            yield number, cells


def text_of(path: Path, fault: type[Exception]) -> str:
    """What a CSV says, in any encoding that spreadsheets save. Raises `fault` when it cannot be read."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise fault(f"{path} cannot be read ({error.strerror}): a CSV file is expected, such as class.csv.") from None
    is_utf16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("utf-16",) if is_utf16 else ("utf-8-sig", "cp1252"):  # the last is what Excel saves in the West
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:  # else it is a spreadsheet, or UTF-16 that does not say so
            return text
    raise fault(
        f"{path} is not text, perhaps a spreadsheet: save it there as CSV in UTF-8, and give that file, such as "
        f"{path.with_suffix('.csv')}."
    )


def lacking(path: Path, what: str, *example: str) -> str:
    """A sentence on a CSV without a column: what was expected, what its first line says, and a file that would do."""
    header = next(iter(text_of(path, ValueError).splitlines()), "")
    found = f"its first line is {header[:MOST_SHOWN]!r}" if header.strip() else "it is empty"
    rows = "".join(f"{row}\\n" for row in example)
    return f"{path} has no {what}: {found}. This writes one that works: printf '{rows}' > example.csv"


def first_of(titles: Sequence[str], columns: Sequence[str]) -> int | None:
    """The place of the column that has the first of these titles that is there; None when none is."""
    return next((columns.index(title) for title in titles if title in columns), None)


def letters(title: str) -> str:
    """A column's title in lower case, without anything but letters."""
    return re.sub(r"[\W\d_]+", "", title.casefold())
