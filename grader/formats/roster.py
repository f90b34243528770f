"""The learners' identities on another platform: a CSV exported by Canvas or Moodle, or typed by hand.

Submissions are matched to learners as with `kata grade-class --roster`. Here each column is kept separately, because an
import wants an id in the column from which it came.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.classroom.claims import Claim, resolve
from grader.classroom.csv_file import read_rows
from grader.classroom.lms_names import platform_called
from grader.classroom.members import Learner
from grader.classroom.roster import Enrolled, Matcher, RosterRow
from grader.render.csv_text import text_field

from .marks import ExportError


@dataclass(frozen=True)
class Person:
    """One learner of the roster; a missing field is empty."""

    name: str
    id: str = ""
    sis_id: str = ""
    login: str = ""
    email: str = ""
    section: str = ""
    participant: str = ""
    first: str = ""
    last: str = ""

    @property
    def parts(self) -> tuple[str, str]:
        """First and last name; if the roster does not separate them, an empty text and the whole name."""
        if self.first and self.last:
            return self.first, self.last
        family, comma, given = self.name.partition(",")
        return (given.strip(), family.strip()) if comma and given.strip() else ("", self.name)


class Roster:
    """The learners of a class, found by the names of their submissions."""

    def __init__(self, people: Sequence[Person]) -> None:
        self.people = tuple(people)
        self._enrolled = {_enrolled(person): person for person in self.people}
        self._matcher = Matcher([_enrolled(person) for person in self.people])

    def find_all(self, learners: Sequence[Learner]) -> list[Person | None]:
        """The person for each learner of one class; None if none or several match."""
        matches = resolve([_claim(each) for each in learners], list(self._enrolled)).matches
        return [self._found(learner, each.learner) for learner, each in zip(learners, matches, strict=True)]

    def find(self, learner: Learner) -> Person | None:
        """The person for this learner, the only one of a class."""
        return self.find_all([learner])[0]

    def _found(self, learner: Learner, claimed: Enrolled | None) -> Person | None:
        if claimed is not None:
            return self._enrolled[claimed]
        if learner.platform:  # learners choose their display names there
            return None
        texts = (learner.email, learner.shown)
        return next((self._enrolled[found] for text in texts if text and (found := self._matcher.learner(text))), None)


def _claim(learner: Learner) -> Claim:
    """The learner's name as a claim; the id if the class was graded with a roster."""
    platform = platform_called(learner.platform)
    name = learner.name if platform in ("plain", "blackboard") else learner.shown
    return Claim(platform, name, learner.ids)


def _enrolled(person: Person) -> Enrolled:
    ids = tuple(text for text in (person.id, person.sis_id, person.login) if text)
    id = ids[0] if ids else person.email or person.name
    return Enrolled(id, person.name, person.email, ids, person.participant)


@dataclass(frozen=True)
class People:
    """The person for each learner, by the name in the results.

    torn: names of learners who match the same person, by that person's name; `of` contains none of them.
    """

    of: Mapping[str, Person]
    torn: Mapping[str, tuple[str, ...]]

    @property
    def none(self) -> frozenset[str]:
        """All names in the results that are in `torn`."""
        return frozenset(name for names in self.torn.values() for name in names)


def people_of(learners: Iterable[Learner], roster: Roster | None) -> People:
    """The person for each learner; without a roster, from the results.

    Learners who are not in the roster are left out, and so are all who match the same person.
    """
    everybody = list(learners)
    if roster is None:
        return People({each.name: _as_graded(each) for each in everybody}, {})
    owners: dict[Person, list[str]] = {}
    for learner, person in zip(everybody, roster.find_all(everybody), strict=True):
        if person is not None:
            owners.setdefault(person, []).append(learner.name)
    found = {names[0]: person for person, names in owners.items() if len(names) == 1}
    torn: dict[str, tuple[str, ...]] = {}
    for person, names in owners.items():
        if len(names) > 1:  # several learners may have this name
            torn[person.name] = (*torn.get(person.name, ()), *names)
    return People(found, torn)


def _as_graded(learner: Learner) -> Person:
    return Person(learner.shown, sis_id=learner.name if learner.in_roster else "", email=learner.email)


def changed_identifiers(people: Iterable[Person]) -> list[str]:
    """Identifiers that must be changed, because a spreadsheet would read them as formulas."""
    texts = [text for each in people for text in (each.id, each.sis_id, each.login, each.email)]
    return [text for text in texts if text_field(text) != text]


def read_roster(path: Path) -> Roster:
    """Read a roster; its first line names the columns.

    Raises ExportError when it cannot be read, has no column with names or identifiers, or has no learners.
    """
    people = [_person(row) for _, row in read_rows(path, RosterRow, ExportError) if not row.is_nobody]
    known = [each for each in people if each.name]
    if not known:
        raise ExportError(f"{path} names no learner.")
    return Roster(known)


def _person(row: RosterRow) -> Person:
    return Person(
        row.name or row.email or row.login or row.own_id or row.sis_id,
        id=row.own_id,
        sis_id=row.sis_id,
        login=row.login,
        email=row.email,
        section=row.section,
        participant=row.participant,
        first=row.first,
        last=row.last,
    )
