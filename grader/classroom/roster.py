"""Reads a roster, and the basics of every other CSV about a class.

Columns are found by their titles, in any order, as spreadsheets and learning platforms save them.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

NumberedRows = Iterator[tuple[int, list[str]]]
"""The rows below a CSV's titles, each with its number from 2 on; cells are stripped, short rows filled up."""

MOST_SHOWN = 120
"""Characters of a line that an error message quotes."""
_DELIMITERS = ",;\t|"


@contextmanager
def titled_rows(path: Path, fault: type[Exception]) -> Iterator[tuple[list[str], NumberedRows]]:
    """The titles of a CSV's columns, normalized by `letters`, and the rows below that are not empty.

    Raises `fault`, with one sentence for people, when the file cannot be read or is no CSV; also while rows are read.
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
    """The text of a CSV, in any encoding that spreadsheets save. Raises `fault` when it cannot be read."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise fault(f"{path} cannot be read ({error.strerror}): a CSV file is expected, such as class.csv.") from None
    is_utf16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("utf-16",) if is_utf16 else ("utf-8-sig", "cp1252"):  # Excel in Western Europe saves cp1252
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:  # otherwise it is a spreadsheet file, or UTF-16 without a byte order mark
            return text
    raise fault(
        f"{path} is not text, perhaps a spreadsheet: save it there as CSV in UTF-8, and give that file, such as "
        f"{path.with_suffix('.csv')}."
    )


def lacking(path: Path, what: str, *example: str) -> str:
    """A sentence about a missing column: what was expected, what the first line has, and an example."""
    header = next(iter(text_of(path, ValueError).splitlines()), "")
    found = f"its first line is {header[:MOST_SHOWN]!r}" if header.strip() else "it is empty"
    rows = "".join(f"{row}\\n" for row in example)
    return f"{path} has no {what}: {found}. This writes one that works: printf '{rows}' > example.csv"


def first_of(titles: Sequence[str], columns: Sequence[str]) -> int | None:
    """The index of the first of these titles that the CSV has; None if it has none."""
    return next((columns.index(title) for title in titles if title in columns), None)


def letters(title: str) -> str:
    """A column's title in lower case, letters only."""
    return re.sub(r"[\W\d_]+", "", title.casefold())


# Normalized by `letters`. The first title that is present counts.
IDS = ("id", "studentid", "learnerid", "idnumber", "sisuserid", "sisid", "orgdefinedid", "matriculationnumber",
       "username", "userid", "sisloginid", "loginid", "login", "netid")  # fmt: skip
NAMES = ("name", "fullname", "displayname", "studentname", "learnername", "student", "learner")
FIRST_NAMES = ("firstname", "firstnames", "givenname", "givennames", "first")
LAST_NAMES = ("lastname", "surname", "familyname", "last")
EMAILS = ("email", "emailaddress", "mail", "emails")

PARTICIPANTS = ("identifier",)
"""The column of Moodle's grading worksheet with `Participant 1234567`: the number that Moodle's file names have."""
_PARTICIPANT = re.compile(r"[^0-9]*([0-9]+)")
_POINTS_POSSIBLE = "points possible"  # Canvas puts the maximum points of assignments into the second row


class RosterError(Exception):
    """A roster cannot be used; the message is one sentence for people."""


@dataclass(frozen=True)
class Enrolled:
    """One learner of a roster. `ids`: all numbers and logins of the roster; the first is the id.

    participant: the learner's number in one Moodle assignment, if the roster is its grading worksheet.
    """

    id: str
    name: str
    email: str
    ids: tuple[str, ...]
    participant: str = ""


def read_roster(path: Path) -> list[Enrolled]:
    """The learners of a roster, in its order.

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
    participants = first_of(PARTICIPANTS, columns)
    if not ids and email is None and name is None and last is None:
        what = "column for ids, names or emails"
        raise RosterError(lacking(path, what, "id,name,email", "1815,Ada Byron,ada@uni.example"))
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
        participant = participant_in(cells[participants]) if participants is not None else ""
        yield Enrolled(id, whole or id, address, tuple(said), participant)


def participant_in(cell: str) -> str:
    """The participant's number in `Participant 1234567`; empty if there is none."""
    found = _PARTICIPANT.fullmatch(cell)
    return found[1] if found else ""


def _name(cells: Sequence[str], name: int | None, first: int | None, last: int | None) -> str:
    if name is not None and cells[name]:
        return cells[name]
    return " ".join(cells[column] for column in (first, last) if column is not None and cells[column])


class Matcher:
    """Finds learners of a roster by a text."""

    def __init__(self, roster: Sequence[Enrolled]) -> None:
        self._exact = _meant_by(roster, _own_ids, str)
        self._ids = _meant_by(roster, _own_ids, str.casefold)
        self._emails = _meant_by(roster, lambda each: [each.email], str.casefold)
        self._mailboxes = _meant_by(roster, _mailbox_in(_own_domain(roster)), str.casefold)
        self._spelt = _meant_by(roster, _name_keys, _as_spelt)
        self._names = _meant_by(roster, _name_keys, _letters_and_digits)
        self._participants = _meant_by(roster, lambda each: [each.participant], str)

    def learner(self, text: str) -> Enrolled | None:
        """The learner with this id, login, email or name; None for nobody or several."""
        found = self.candidates(text)
        return found[0] if len(found) == 1 else None

    def candidates(self, text: str) -> tuple[Enrolled, ...]:
        """All learners with this id, login or email; if there are none, those with this name."""
        return self.by_login(text) or self.by_name(text)  # an id that two learners have is nobody's name

    def by_login(self, text: str) -> tuple[Enrolled, ...]:
        """All learners with this id, login or email. Learners can set their email, so ids come first."""
        folded = text.casefold()
        tiers = (self._ids.get(folded, ()), self._emails.get(folded, ()), self._mailboxes.get(folded, ()))
        exact = self._exact.get(text, ())
        return exact if len(exact) == 1 else next(filter(None, tiers), ())

    def by_number(self, text: str) -> tuple[Enrolled, ...]:
        """All learners with this id."""
        return self._exact.get(text, ())

    def by_name(self, text: str) -> tuple[Enrolled, ...]:
        """All learners with this name. Equal accents come first, because accents make names different."""
        return self._spelt.get(_as_spelt(text)) or self._names.get(_letters_and_digits(text), ())

    def by_participant(self, number: str) -> tuple[Enrolled, ...]:
        """All learners with this number in a Moodle assignment."""
        return self._participants.get(number, ())


def _meant_by(
    roster: Sequence[Enrolled], keys: Callable[[Enrolled], list[str]], spelt: Callable[[str], str]
) -> dict[str, tuple[Enrolled, ...]]:
    """The learners that each key can mean."""
    meant: dict[str, list[Enrolled]] = defaultdict(list)
    for learner in roster:
        for key in {spelt(text) for text in keys(learner)} - {""}:
            meant[key].append(learner)
    return {key: tuple(learners) for key, learners in meant.items()}


def _own_domain(roster: Sequence[Enrolled]) -> str:
    """The domain of most emails; empty if there is none. Learners can choose an address with another domain."""
    domains = Counter(each.email.partition("@")[2].casefold() for each in roster if each.email)
    domain, count = max(domains.items(), key=lambda item: item[1], default=("", 0))
    return domain if 2 * count > sum(domains.values()) else ""


def _mailbox_in(domain: str) -> Callable[[Enrolled], list[str]]:
    def mailboxes(learner: Enrolled) -> list[str]:
        box, _, own = learner.email.partition("@")
        return [box] if domain and own.casefold() == domain else []

    return mailboxes


def _own_ids(learner: Enrolled) -> list[str]:
    return [learner.id, *learner.ids]


def _name_keys(learner: Enrolled) -> list[str]:
    family, comma, given = learner.name.partition(",")
    words = f"{given} {family}".split() if comma else learner.name.split()
    # Canvas writes lovelaceada and garciamarquezgabriel: only Canvas knows how many words the family name has
    turned = [" ".join([*words[place:], *words[:place]]) for place in range(1, min(len(words), MOST_WORDS))]
    return [learner.name, " ".join(words), *turned]


MOST_WORDS = 12
"""The most words of a name for which other orders are tried."""


def _letters_and_digits(text: str) -> str:
    """The text without case, accents, spaces and signs, as platforms write names in file names."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(character for character in plain if character.isalnum())


def _as_spelt(text: str) -> str:
    """The same, but keeps accents and vowel signs: Müller and Muller, राम and रमा are different names."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(char for char in plain if char.isalnum() or unicodedata.category(char).startswith("M"))
