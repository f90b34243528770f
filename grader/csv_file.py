"""The one reader of CSVs: a table with titles, as spreadsheets and learning platforms save it.

Columns are found by their titles, whatever their order. The titles of Moodle's grading worksheet are in the language of
whoever downloads it, so its columns are found by what they hold. Moodle writes them in this order (gradingtable.php in
mod/assign of moodle/moodle): participant, full name, fields of the site such as e-mail address and ID number, state,
grade, maximum, whether the grade can be changed, two dates, and what the feedback plugins add.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from grader.errors import KataError

MOST_BYTES = 16 << 20
"""Of a CSV: a class of ten thousand has a megabyte."""
MOST_SHOWN = 120
"""Characters of a line that an error quotes."""
_DELIMITERS = ",;\t|"
IDENTIFIER, FULL_NAME, EMAIL, ID_NUMBER = "identifier", "fullname", "emailaddress", "idnumber"
GRADE, MAXIMUM, COMMENTS = "grade", "maximumgrade", "feedbackcomments"
SUBMITTED = "lastmodifiedsubmission"
NOTHING = "-"
"""What Moodle writes in place of a date or a grade that is not there."""

_NUMBER = r"[0-9]+(?:[.,][0-9]+)?"
_MOODLES_DATE = r"-|(?=.*\d{4})(?=.*\d[:.]\d\d).+"
DATE_EXAMPLE = "Sunday, 1 March 2026, 12:14 PM"
LONGEST_DATE = 100
_CLOCK = re.compile(r"(?<!\d)\d{1,2}[:.](\d{2})(?!\d)")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_IN_NUMBERS = re.compile(r"\d\s?[/.-]\s?\d{1,2}\s?[/.-]\s?\d")  # 01/03/2026 is a day of January or of March


@dataclass(frozen=True)
class Table:
    """A CSV as it is.

    name: what people call it. titles: as they stand there. columns: as `letters` spells them, in English where they are
    those of Moodle's worksheet. rows: what is not empty, with the line on which it begins, at least as wide as the
    titles.
    """

    name: str
    titles: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    delimiter: str = ","

    def place(self, *titles: str) -> int | None:
        """Where the column is that has the first of these titles that is there; None when none is."""
        return next(iter(self.places(titles)), None)

    def places(self, titles: Iterable[str]) -> list[int]:
        """Where the columns with these titles are, in the order of the titles."""
        return [place for title in titles for place, column in enumerate(self.columns) if column == title]

    def text(self) -> str:
        """The table as a CSV again, with the titles and the delimiter with which it came."""
        text = io.StringIO(newline="")
        rows = [self.titles, *(cells for _, cells in self.rows)]
        csv.writer(text, delimiter=self.delimiter, lineterminator="\r\n").writerows(rows)
        return text.getvalue()


def read_table(path: Path) -> Table:
    """Read a CSV. Raises KataError when it cannot be read or is no CSV."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise KataError(
            f"{path} cannot be read ({error.strerror}): a CSV file is expected, such as class.csv."
        ) from None
    return table_in(content, str(path))


def table_in(content: bytes, name: str) -> Table:
    """The table in a CSV's bytes. Raises KataError as `read_table` does."""
    text = _text(content, name)
    header, *_ = text.splitlines() or [""]
    delimiter = max(_DELIMITERS, key=header.count)
    rows: list[tuple[int, tuple[str, ...]]] = []
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        titles = tuple(next(lines, []))
        first = lines.line_num + 1
        for cells in lines:
            if any(cell.strip() for cell in cells):
                rows.append((first, (*cells, *[""] * (len(titles) - len(cells)))))
            first = lines.line_num + 1
    except csv.Error as error:
        raise KataError(f"{name}, line {lines.line_num}: this is not a CSV file ({error}).") from None
    columns = _in_english([letters(title) for title in titles], [cells for _, cells in rows])
    return Table(name, titles, columns, tuple(rows), delimiter)


def _text(content: bytes, name: str) -> str:
    """What a CSV says, in any encoding that spreadsheets save."""
    if len(content) > MOST_BYTES:
        raise KataError(f"{name} is larger than {MOST_BYTES >> 20} MB: a CSV with a row a learner is expected.")
    is_utf16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("utf-16",) if is_utf16 else ("utf-8-sig", "cp1252"):  # the last is what Excel saves in the West
        with suppress(UnicodeDecodeError):
            if "\0" not in (text := content.decode(encoding)):  # else a spreadsheet, or UTF-16 that does not say so
                return text
    raise KataError(
        f"{name} is not text, perhaps a spreadsheet: save it there as CSV in UTF-8, and give that file, such as "
        f"{Path(name).with_suffix('.csv')}."
    )


def lacking(table: Table, what: str, *example: str) -> str:
    """A sentence on a CSV without a column: what was expected, what its first line says, and a file that would do."""
    header = table.delimiter.join(table.titles)
    found = f"its first line is {header[:MOST_SHOWN]!r}" if header.strip() else "it is empty"
    rows = "".join(f"{row}\\n" for row in example)
    return f"{table.name} has no {what}: {found}. This writes one that works: printf '{rows}' > example.csv"


# --- Moodle's worksheet -----------------------------------------------------------------------------------------------


def letters(title: str) -> str:
    """A column's title in lower case, without anything but letters."""
    return re.sub(r"[\W\d_]+", "", unicodedata.normalize("NFC", title).casefold())


def _in_english(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The columns, as `letters` spells them, with their English names if the table is a worksheet."""
    cells = [[row[place].strip() for row in rows] for place in range(len(columns))]

    def hold(place: int, kind: str) -> bool:
        return all(re.fullmatch(kind, cell) for cell in cells[place])

    def tell_apart(place: int, kind: str) -> bool:
        filled = [cell for cell in cells[place] if cell]
        return bool(filled) and len(set(filled)) == len(filled) and hold(place, f"(?:{kind})?")

    # Participant 1, Participant 2, in any language
    words = {cell.rstrip("0123456789") for cell in cells[0]} if cells else set()
    if IDENTIFIER in columns or len(words) != 1 or "" in words or not tell_apart(0, r"[^0-9]+[0-9]+"):
        return tuple(columns)
    same = [place for place in range(2, len(cells)) if len(set(cells[place])) == 1 and hold(place, _NUMBER)]
    grade = next((place - 1 for place in same if hold(place - 1, f"(?:-|{_NUMBER})?")), len(cells))
    dates = [place for place in range(grade + 2, len(cells)) if hold(place, _MOODLES_DATE)]
    if not dates:
        return tuple(columns)
    names = {0: IDENTIFIER, 1: FULL_NAME, grade: GRADE, grade + 1: MAXIMUM}
    names[next((place for place in dates if set(cells[place]) != {NOTHING}), dates[0])] = SUBMITTED
    if len(cells) - 1 > dates[-1]:
        names[len(cells) - 1] = COMMENTS
    for name, kind in ((EMAIL, r"\S+@\S+"), (ID_NUMBER, r"[\w.-]*[0-9][\w.-]*")):
        names |= dict.fromkeys([place for place in range(2, grade) if tell_apart(place, kind)][:1], name)
    return tuple(names.get(place, column) for place, column in enumerate(columns))


# --- dates ------------------------------------------------------------------------------------------------------------


def read_date(text: str) -> datetime | None:
    """The date and time in `text`, without a time zone unless it names one; None for any other text.

    Nothing is guessed: a day, a month in words, a year of four digits and a clock have to be there.

    Raises KataError when dateparser is not installed.
    """
    clock = _CLOCK.search(text)
    if len(text) > LONGEST_DATE or clock is None or not _YEAR.search(text) or _IN_NUMBERS.search(text):
        return None
    try:
        import dateparser
    except ModuleNotFoundError:
        raise KataError(
            f"dateparser is not installed, and dates such as {text!r} need it: make instructor, in a clone of the "
            "course, or pip install dateparser."
        ) from None
    settings = {"PARSERS": ["absolute-time"], "STRICT_PARSING": True}
    found: datetime | None = dateparser.parse(" ".join(text.split()), settings=settings)
    return found if found is not None and found.minute == int(clock[1]) else None
