"""A roster: who is in the class, as a system exports it. Columns are found by their headers, whatever their order."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .lms_names import read_name

# As headers are written, in lower case and without anything but letters. The first that is there is the one.
IDS = ("id", "studentid", "learnerid", "idnumber", "sisuserid", "sisid", "orgdefinedid", "matriculationnumber",
       "username", "userid", "sisloginid", "loginid", "login", "netid")  # fmt: skip
NAMES = ("name", "fullname", "displayname", "studentname", "learnername", "student", "learner")
FIRST_NAMES = ("firstname", "firstnames", "givenname", "givennames", "first")
LAST_NAMES = ("lastname", "surname", "familyname", "last")
EMAILS = ("email", "emailaddress", "mail", "emails")

_DELIMITERS = ",;\t|"
_A_FILE = "_0_file"
"""Makes a name that is cut off after the learner's number, as several files of one learner are called, whole again."""
_POINTS_POSSIBLE = "points possible"  # Canvas puts what assignments are worth into a second row


class RosterError(Exception):
    """A roster cannot be used; the text is one sentence for people."""


@dataclass(frozen=True)
class Enrolled:
    """One learner of a roster. `ids` are all numbers and logins that the roster gives; the first is the id."""

    id: str
    name: str
    email: str
    ids: tuple[str, ...]


def read_roster(path: Path) -> list[Enrolled]:
    """The learners in a roster, in its order.

    Raises RosterError when it cannot be read, has no column that names learners, or has an id twice.
    """
    text = text_of(path)
    header, *_ = text.splitlines() or [""]
    delimiter = max(_DELIMITERS, key=header.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        columns = [letters(title) for title in next(rows, [])]
        learners = list(_learners(path, columns, rows))
    except csv.Error as error:
        raise RosterError(f"{path}, line {rows.line_num}: this is not a CSV file ({error}).") from None
    if not learners:
        raise RosterError(f"{path} names no learner.")
    return learners


def text_of(path: Path) -> str:
    """What a roster's file says, in any encoding that spreadsheets save. Raises RosterError when it cannot be read."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RosterError(f"{path} cannot be read: {error.strerror}.") from None
    is_utf16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("utf-16",) if is_utf16 else ("utf-8-sig", "cp1252"):  # the last is what Excel saves in the West
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise RosterError(f"{path} is not text: save it as CSV in UTF-8.")


def _learners(path: Path, columns: Sequence[str], rows: Iterator[list[str]]) -> Iterator[Enrolled]:
    ids = [columns.index(title) for title in IDS if title in columns]
    email, name = first_of(EMAILS, columns), first_of(NAMES, columns)
    first, last = first_of(FIRST_NAMES, columns), first_of(LAST_NAMES, columns)
    if not ids and email is None and name is None and last is None:
        raise RosterError(f"{path} has no column for ids, names or emails; call them id, name and email.")
    lines: dict[str, int] = {}
    for number, row in enumerate(rows, 2):
        cells = [cell.strip() for cell in row] + [""] * (len(columns) - len(row))
        said = [cells[column] for column in ids if cells[column]]
        whole = _name(cells, name, first, last)
        address = cells[email] if email is not None else ""
        if not any(cells) or whole.casefold() == _POINTS_POSSIBLE:
            continue
        id = said[0] if said else address or whole
        if not id:
            raise RosterError(f"{path}, row {number}: there is no id, name or email.")
        if id in lines:
            raise RosterError(f"{path}, row {number}: {id} is in row {lines[id]} already.")
        lines[id] = number
        yield Enrolled(id, whole or id, address, tuple(said))


def _name(cells: Sequence[str], name: int | None, first: int | None, last: int | None) -> str:
    if name is not None and cells[name]:
        return cells[name]
    return " ".join(cells[column] for column in (first, last) if column is not None and cells[column])


def first_of(titles: Sequence[str], columns: Sequence[str]) -> int | None:
    """The place of the column that has the first of these titles that is there; None when none is."""
    return next((columns.index(title) for title in titles if title in columns), None)


class Matcher:
    """Finds the learner of a roster that a submission's name means. What could mean two learners means none."""

    def __init__(self, roster: Sequence[Enrolled]) -> None:
        self._ids = _unambiguous(roster, _id_keys, str.casefold)
        self._names = _unambiguous(roster, _name_keys, _letters_and_digits)

    def learner(self, submission: str) -> Enrolled | None:
        """The learner that a submission of this name is of, or None."""
        if found := self._ids.get(submission.casefold()):
            return found
        said = read_name(submission) or read_name(f"{submission}{_A_FILE}")
        named = self._names.get(_letters_and_digits(said.name if said else submission))
        numbered = self._ids.get(said.id.casefold()) if said and said.id else None
        if named and numbered and named != numbered:  # the roster's numbers are another system's
            return None
        return numbered or named


def _unambiguous(
    roster: Sequence[Enrolled], keys: Callable[[Enrolled], list[str]], spelt: Callable[[str], str]
) -> dict[str, Enrolled]:
    said = [(key, learner) for learner in roster for key in {spelt(text) for text in keys(learner)} if key]
    counts = Counter(key for key, _ in said)
    return {key: learner for key, learner in said if counts[key] == 1}


def _id_keys(learner: Enrolled) -> list[str]:
    return [learner.id, *learner.ids, learner.email, learner.email.partition("@")[0]]


def _name_keys(learner: Enrolled) -> list[str]:
    family, comma, given = learner.name.partition(",")
    words = f"{given} {family}".split() if comma else learner.name.split()
    # Canvas writes lovelaceada
    return [learner.name, " ".join(words), " ".join([*words[-1:], *words[:-1]])]


def _letters_and_digits(text: str) -> str:
    """The text without case, accents, spaces and signs, as systems spell names in files."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in plain if character.isalnum())


def letters(title: str) -> str:
    """A column's title as IDS and the others spell it."""
    return re.sub(r"[\W\d_]+", "", title.casefold())
