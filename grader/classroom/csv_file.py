"""The one reader of CSVs about a class: a table with titles, and its rows as pydantic models.

Columns are found by their titles, whatever their order, as spreadsheets and learning platforms save them; those of
Moodle's grading worksheet in any language. What a row is, its model says: each field with the titles that its column
may have.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from grader.course.course_error import quoted
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
    those of Moodle's worksheet. rows: what is not empty, with its number from 2 on, at least as wide as the titles.
    """

    name: str
    titles: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    delimiter: str = ","

    def place(self, *titles: str) -> int | None:
        """Where the column is that has the first of these titles that is there; None when none is."""
        return next((self.columns.index(title) for title in titles if title in self.columns), None)

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
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        titles = tuple(next(lines, []))
        rows = tuple(
            (number, (*line, *[""] * (len(titles) - len(line))))
            for number, line in enumerate(lines, 2)
            if any(cell.strip() for cell in line)
        )
    except csv.Error as error:
        raise KataError(f"{name}, line {lines.line_num}: this is not a CSV file ({error}).") from None
    columns = in_english([letters(title) for title in titles], [cells for _, cells in rows])
    return Table(name, titles, columns, rows, delimiter)


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


@dataclass(frozen=True)
class Column:
    """Where a field of a row stands, as an annotation of the field.

    titles: what its column may be called. which: of several such columns the first that there is, the first that is
    filled in the row, or all that are. is_needed: whether there has to be one although the field has a default.
    """

    titles: tuple[str, ...]
    which: Literal["first", "first filled", "all"] = "first"
    is_needed: bool = False

    def places(self, table: Table) -> list[int]:
        """The columns of a table in which it may stand."""
        columns = table.columns
        if self.which == "all":
            return [place for title in self.titles for place, column in enumerate(columns) if column == title]
        there = [columns.index(title) for title in self.titles if title in columns]
        return there if self.which == "first filled" else there[:1]


class CsvRow(BaseModel):
    """One row of a CSV. A field without a default has to be filled.

    wanted: which columns there have to be, in words. example: the first lines of a file that would do.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    wanted: ClassVar[str]
    example: ClassVar[tuple[str, ...]]

    @classmethod
    def column_of(cls, field: str) -> Column:
        """Where a field stands."""
        return next(each for each in cls.model_fields[field].metadata if isinstance(each, Column))

    @classmethod
    def suffice(cls, columns: Collection[str]) -> bool:
        """Whether columns with these titles are enough."""
        needed = [
            cls.column_of(name)
            for name, field in cls.model_fields.items()
            if field.is_required() or cls.column_of(name).is_needed
        ]
        return all(not set(column.titles).isdisjoint(columns) for column in needed)

    @classmethod
    def places(cls, table: Table) -> dict[str, list[int]]:
        """The columns of a table in which each field may stand."""
        return {name: cls.column_of(name).places(table) for name in cls.model_fields}

    @classmethod
    def filled_in(cls, cells: Sequence[str], places: Mapping[str, Sequence[int]]) -> dict[str, str | tuple[str, ...]]:
        """What a row says of each field; nothing of one that is empty."""
        filled: dict[str, str | tuple[str, ...]] = {}
        for name, columns in places.items():
            if there := tuple(text for place in columns if (text := cells[place].strip())):
                filled[name] = there if cls.column_of(name).which == "all" else there[0]
        return filled


Row = TypeVar("Row", bound=CsvRow)


def read_rows(path: Path, model: type[Row], *, example: Sequence[str] = ()) -> Iterator[tuple[int, Row]]:
    """The rows of a CSV, each with its number.

    example: in place of the model's.

    Raises KataError when the file cannot be read, lacks a column, or at a row that the
    model refuses.
    """
    table = read_table(path)
    if not model.suffice(table.columns):
        raise KataError(lacking(table, model.wanted, *(example or model.example)))
    yield from rows_of(table, model)


def rows_of(table: Table, model: type[Row]) -> Iterator[tuple[int, Row]]:
    """The rows of a table, each with its number. Raises KataError at one that the model refuses."""
    places = model.places(table)
    for number, cells in table.rows:
        try:
            row = model.model_validate(model.filled_in(cells, places))
        except ValidationError as error:
            raise KataError(f"{table.name}, row {number}: {_refusal(error, model, table)}") from None
        yield number, row


def _refusal(error: ValidationError, model: type[CsvRow], table: Table) -> str:
    """What is wrong first in a row, and in which column it stands."""
    first = error.errors(include_url=False)[0]
    field = str(first["loc"][0])
    if first["type"] == "missing":
        return f"there is no {field}."
    said = str(first["ctx"]["error"]) if first["type"] == "value_error" else f"{first['msg']}."
    titles = [quoted(table.titles[place].strip()) for place in model.column_of(field).places(table)]
    return f"{said} The column is {' or '.join(titles)}."


def lacking(table: Table, what: str, *example: str) -> str:
    """A sentence on a CSV without a column: what was expected, what its first line says, and a file that would do."""
    header = table.delimiter.join(table.titles)
    found = f"its first line is {header[:MOST_SHOWN]!r}" if header.strip() else "it is empty"
    rows = "".join(f"{row}\\n" for row in example)
    return f"{table.name} has no {what}: {found}. This writes one that works: printf '{rows}' > example.csv"
