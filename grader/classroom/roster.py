"""A roster: who is in the class, as a system exports it. Columns are found by their headers, whatever their order."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .csv_rows import NumberedRows, first_of, titled_rows
from .lms_names import read_name

# As `letters` spells headers. The first that is there is the one.
IDS = ("id", "studentid", "learnerid", "idnumber", "sisuserid", "sisid", "orgdefinedid", "matriculationnumber",
       "username", "userid", "sisloginid", "loginid", "login", "netid")  # fmt: skip
NAMES = ("name", "fullname", "displayname", "studentname", "learnername", "student", "learner")
FIRST_NAMES = ("firstname", "firstnames", "givenname", "givennames", "first")
LAST_NAMES = ("lastname", "surname", "familyname", "last")
EMAILS = ("email", "emailaddress", "mail", "emails")

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
    with titled_rows(path, RosterError) as (columns, rows):
        learners = list(_learners(path, columns, rows))
    if not learners:
        raise RosterError(f"{path} names no learner.")
    return learners


def _learners(path: Path, columns: Sequence[str], rows: NumberedRows) -> Iterator[Enrolled]:
    ids = [columns.index(title) for title in IDS if title in columns]
    email, name = first_of(EMAILS, columns), first_of(NAMES, columns)
    first, last = first_of(FIRST_NAMES, columns), first_of(LAST_NAMES, columns)
    if not ids and email is None and name is None and last is None:
        raise RosterError(f"{path} has no column for ids, names or emails; call them id, name and email.")
    lines: dict[str, int] = {}
    for number, cells in rows:
        said = [cells[column] for column in ids if cells[column]]
        whole = _name(cells, name, first, last)
        address = cells[email] if email is not None else ""
        if whole.casefold() == _POINTS_POSSIBLE:
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


class Matcher:
    """Finds the learner of a roster that a submission's name means. What could mean two learners means none."""

    def __init__(self, roster: Sequence[Enrolled]) -> None:
        self._ids = _meant_by(roster, _id_keys, str.casefold)
        self._names = _meant_by(roster, _name_keys, _letters_and_digits)

    def learner(self, submission: str) -> Enrolled | None:
        """The learner that a submission of this name is of, or None."""
        if submission.casefold() in self._ids:  # an id of two is not looked for among names: it is one of theirs
            return self._ids[submission.casefold()]
        said = read_name(submission) or read_name(f"{submission}{_A_FILE}")
        named = self._names.get(_letters_and_digits(said.name if said else submission))
        numbered = self._ids.get(said.id.casefold()) if said and said.id else None
        if named and numbered and named != numbered:  # the roster's numbers are another system's
            return None
        return numbered or named


def _meant_by(
    roster: Sequence[Enrolled], keys: Callable[[Enrolled], list[str]], spelt: Callable[[str], str]
) -> dict[str, Enrolled | None]:
    """Whom each key means; None where it could be two."""
    said = [(key, learner) for learner in roster for key in {spelt(text) for text in keys(learner)} if key]
    counts = Counter(key for key, _ in said)
    return {key: learner if counts[key] == 1 else None for key, learner in said}


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
