"""OUT/unmatched.csv: what counts for nobody. A person says in its column `learner` whose it is, and hands it back.

A person's word goes before every name, and its row stays in the file. An empty column `learner` says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from grader.csv_writing import table, text_field
from grader.errors import KataError
from grader.files import write_file

from .class_contents import Unmatched
from .csv_file import lacking, read_table

UNMATCHED = "unmatched.csv"
TITLES = ("entry", "why", "learner")


def write_unmatched(path: Path, rows: Iterable[Unmatched]) -> None:
    """Write the file anew. Raises OSError."""
    fields = [(as_written(each.entry), text_field(each.why), text_field(each.learner)) for each in rows]
    write_file(path, [table([TITLES, *fields]).encode("utf-8-sig")])


def as_written(entry: str) -> str:
    """The name of an entry as the file has it."""
    return text_field(entry.removesuffix("/"))


def read_matches(path: Path) -> Mapping[str, str]:
    """The learner of each entry of the file: an id, a login, an email, a full name or a group; "" for nobody.

    Raises KataError when it cannot be read, lacks a column, or gives an entry twice; each problem has a line.
    """
    sheet = read_table(path)
    entry, learner = sheet.place("entry"), sheet.place("learner")
    if entry is None or learner is None:
        raise KataError(lacking(sheet, "columns entry and learner", ",".join(TITLES), "ada.zip,,1815"))
    matches: dict[str, str] = {}
    problems: list[str] = []
    for line, cells in sheet.rows:
        if cells[entry] in matches:
            problems.append(f"{path}, line {line}: {cells[entry]} is there already.")
        matches[cells[entry]] = cells[learner].strip()
    if problems:
        raise KataError("\n".join(problems))
    return matches
