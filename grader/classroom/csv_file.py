"""The one reader of CSVs about a class: a table with titles, as spreadsheets and learning platforms save it.

Columns are found by their titles, whatever their order; those of Moodle's grading worksheet in any language.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.errors import KataError

from .moodle_worksheet import in_english, letters

MOST_BYTES = 16 << 20
"""Of a CSV: a class of ten thousand has a megabyte."""
MOST_SHOWN = 120
"""Characters of a line that an error quotes."""
_DELIMITERS = ",;\t|"


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
    columns = in_english([letters(title) for title in titles], [cells for _, cells in rows])
    return Table(name, titles, columns, tuple(rows), delimiter)


def _text(content: bytes, name: str) -> str:
    """What a CSV says, in any encoding that spreadsheets save."""
    if len(content) > MOST_BYTES:
        raise KataError(f"{name} is larger than {MOST_BYTES >> 20} MB: a CSV with a row a learner is expected.")
    is_utf16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("utf-16",) if is_utf16 else ("utf-8-sig", "cp1252"):  # the last is what Excel saves in the West
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:  # else it is a spreadsheet, or UTF-16 that does not say so
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
