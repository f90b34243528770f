"""A roster: who is in the class, as a system exports it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from grader.errors import KataError

from .csv_file import Column, CsvRow, read_rows
from .moodle_worksheet import IDENTIFIER

# As `letters` spells headers. The first that is there, and filled, is the one.
IDS = ("id", "studentid", "learnerid", "idnumber", "sisuserid", "sisid", "orgdefinedid", "matriculationnumber",
       "username", "userid", "sisloginid", "loginid", "login", "netid")  # fmt: skip
NAMES = ("name", "fullname", "displayname", "studentname", "learnername", "student", "learner")
FIRST_NAMES = ("firstname", "firstnames", "givenname", "givennames", "first")
LAST_NAMES = ("lastname", "surname", "familyname", "last")
EMAILS = ("email", "emailaddress", "mail", "emails")

_PARTICIPANT = re.compile(r"[^0-9]*([0-9]+)")
_POINTS_POSSIBLE = "points possible"  # Canvas puts what assignments are worth into a second row
_OWN_IDS, _SIS_IDS, _LOGINS = IDS[:3], IDS[3:8], IDS[8:]


class RosterRow(CsvRow):
    """One row of a roster, each number and login kept for itself.

    participant: the learner's number in one assignment of Moodle's, where the roster is its grading worksheet.
    """

    wanted: ClassVar[str] = "column for ids, names or emails"
    example: ClassVar[tuple[str, ...]] = ("id,name,email", "1815,Ada Byron,ada@uni.example")

    ids: Annotated[tuple[str, ...], Column(IDS, "all")] = ()
    whole_name: Annotated[str, Column(NAMES, "first filled")] = ""
    first: Annotated[str, Column(FIRST_NAMES)] = ""
    last: Annotated[str, Column(LAST_NAMES)] = ""
    own_id: Annotated[str, Column((*_OWN_IDS, "canvasid"), "first filled")] = ""
    sis_id: Annotated[str, Column(_SIS_IDS, "first filled")] = ""
    login: Annotated[str, Column(_LOGINS, "first filled")] = ""
    email: Annotated[str, Column(EMAILS, "first filled")] = ""
    section: Annotated[str, Column(("section", "group"))] = ""
    identifier: Annotated[str, Column((IDENTIFIER,))] = ""

    @classmethod
    def suffice(cls, columns: Collection[str]) -> bool:
        """Whether a column says who somebody is."""
        return not {*IDS, *EMAILS, *NAMES, *LAST_NAMES, "canvasid"}.isdisjoint(columns)

    @property
    def name(self) -> str:
        """The name for people, if there is one."""
        return self.whole_name or f"{self.first} {self.last}".strip()

    @property
    def participant(self) -> str:
        """The participant's number, if there is one."""
        return participant_in(self.identifier)

    @property
    def is_nobody(self) -> bool:
        """Whether this is the row in which Canvas says what assignments are worth."""
        return self.name.casefold() == _POINTS_POSSIBLE


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

    Raises KataError when it cannot be read, has no column that names learners, or has an id twice.
    """
    learners: list[Enrolled] = []
    first_row: dict[str, int] = {}
    for number, row in read_rows(path, RosterRow):
        if row.is_nobody:
            continue
        id = next(iter(row.ids), row.email or row.name)
        if not id:
            raise KataError(f"{path}, row {number}: there is no id, name or email.")
        if id in first_row:
            raise KataError(f"{path}, row {number}: {id} is in row {first_row[id]} already.")
        first_row[id] = number
        learners.append(Enrolled(id, row.name or id, row.email, row.ids, row.participant))
    if not learners:
        raise KataError(f"{path} names no learner.")
    return learners


def participant_in(cell: str) -> str:
    """The participant's number in `Participant 1234567`; empty if there is none."""
    found = _PARTICIPANT.fullmatch(cell)
    return found[1] if found else ""


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
