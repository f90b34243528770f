"""What counts for nobody: OUT/unmatched.csv. A person fills in the column `learner`, and gives it back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.csv_file import lacking, read_table
from grader.errors import KataError
from grader.files import table, text_field, write_file
from grader.render.wording import first_few

UNMATCHED = "unmatched.csv"
UNMATCHED_TITLES = ("entry", "why", "learner")
TAKEN_AWAY = "/"  # in place of an entry, of what a person took away: no file is called so


@dataclass(frozen=True)
class Unmatched:
    """Something in a class that counts for nobody, and why. is_submission: a person has to say whose it is.

    learner: whose a person has said that it is. It counts then, and stands here so that this is not forgotten.
    """

    entry: str
    why: str
    is_submission: bool = False
    learner: str = ""


def write_unmatched(path: Path, rows: Iterable[Unmatched]) -> None:
    """Write the file anew. Raises OSError."""
    fields = [(text_field(each.entry), text_field(each.why), text_field(each.learner)) for each in rows]
    write_file(path, [table([UNMATCHED_TITLES, *fields]).encode("utf-8-sig")])


def read_matches(path: Path) -> Mapping[str, str]:
    """The learner of each entry of the file: an id, a login, an email, a full name or a group; "" for nobody.

    Raises KataError when it cannot be read, lacks a column, or gives an entry twice.
    """
    sheet = read_table(path)
    entry, learner = sheet.place("entry"), sheet.place("learner")
    if entry is None or learner is None:
        raise KataError(lacking(sheet, "columns entry and learner", ",".join(UNMATCHED_TITLES), "ada.zip,,1815"))
    if twice := [each for each, count in Counter(cells[entry] for _, cells in sheet.rows).items() if count > 1]:
        raise KataError(f"{path} has several rows of {first_few(twice)}.")
    said = {cells[entry]: cells[learner].strip() for _, cells in sheet.rows}
    return {name: text[1:] if text == text_field(text[1:]) else text for name, text in said.items()}  # as written
