"""Who is who to another system: a CSV with the learners, as Canvas and Moodle export it, or one typed by hand.

What a submission is called is matched to a learner as `kata grade-class --roster` does it. Here each column is kept for
itself, as an import wants an id back in the column from which it came.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.classroom.csv_rows import text_of
from grader.classroom.learners import Learner
from grader.classroom.roster import Enrolled, Matcher
from grader.reports.formats import text_field

from .errors import ExportError

_SPELLINGS = {
    "name": ("student", "name", "fullname", "displayname", "studentname", "learner", "learnername"),
    "last": ("lastname", "surname", "familyname"),
    "first": ("firstname", "givenname"),
    "id": ("id", "studentid", "canvasid", "learnerid"),
    "sis_id": ("sisuserid", "sisid", "idnumber", "matriculationnumber"),
    "login": ("sisloginid", "loginid", "login", "username", "userid"),
    "email": ("email", "emailaddress", "mail"),
    "section": ("section", "group"),
}
_WHO = {"name", "last", "id", "sis_id", "login", "email"}
_POINTS_POSSIBLE = "points possible"  # Canvas's second row, which is nobody


@dataclass(frozen=True)
class Person:
    """One learner as the roster has them; a field that it lacks is empty."""

    name: str
    id: str = ""
    sis_id: str = ""
    login: str = ""
    email: str = ""
    section: str = ""


class Roster:
    """The learners of a class, found again by what their submissions are called."""

    def __init__(self, people: Sequence[Person]) -> None:
        self.people = tuple(people)
        self._enrolled = {_enrolled(person): person for person in self.people}
        self._matcher = Matcher([_enrolled(person) for person in self.people])

    def find(self, learner: Learner) -> Person | None:
        """Who this learner is; None when nobody or several fit."""
        for text in (learner.name, learner.email, learner.shown):
            if text and (found := self._matcher.learner(text)):
                return self._enrolled[found]
        return None


def _enrolled(person: Person) -> Enrolled:
    ids = tuple(text for text in (person.id, person.sis_id, person.login) if text)
    return Enrolled(ids[0] if ids else person.email or person.name, person.name, person.email, ids)


def people_of(learners: Iterable[Learner], roster: Roster | None) -> dict[str, Person]:
    """Who each learner is, by the name in the results; without a roster, what the results say about them.

    A learner whom the roster lacks is left out. Raises ExportError when two learners are the same person.
    """
    if roster is None:
        return {each.name: _as_graded(each) for each in learners}
    owners: dict[Person, str] = {}
    found: dict[str, Person] = {}
    for learner in learners:
        if person := roster.find(learner):
            if person in owners:
                both = f"{owners[person]!r} and {learner.name!r}"
                raise ExportError(f"{both} both belong to {person.name!r} of the roster.")
            owners[person] = learner.name
            found[learner.name] = person
    return found


def _as_graded(learner: Learner) -> Person:
    return Person(learner.shown, sis_id=learner.name if learner.in_roster else "", email=learner.email)


def changed_identifiers(people: Iterable[Person]) -> list[str]:
    """Identifiers that cannot be written as they are, since a spreadsheet would take them for formulas."""
    texts = [text for each in people for text in (each.id, each.sis_id, each.login, each.email)]
    return [text for text in texts if text_field(text) != text]


def read_roster(path: Path) -> Roster:
    """Read a roster; its first line names the columns.

    Raises ExportError when it cannot be read, has no column with names or identifiers, or names nobody.
    """
    text = text_of(path, ExportError)
    separator = max(",;\t", key=text.partition("\n")[0].count)
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True) if any(row)]
    except csv.Error as error:
        raise ExportError(f"{path} is not a CSV file ({error}).") from None
    fields = _fields_of(rows[0] if rows else [])
    if not fields.keys() & _WHO:
        raise ExportError(f"{path} has no column for names or ids: its first line must name the columns.")
    people = [_person(row, fields) for row in rows[1:]]
    known = [each for each in people if each.name and each.name.strip().casefold() != _POINTS_POSSIBLE]
    if not known:
        raise ExportError(f"{path} names no learner.")
    return Roster(known)


def _fields_of(header: Sequence[str]) -> dict[str, int]:
    """Where each field stands; the first column of a meaning counts."""
    fields: dict[str, int] = {}
    for place, title in enumerate(header):
        spelt = re.sub(r"[\W_]+", "", title.casefold())
        for field, spellings in _SPELLINGS.items():
            if spelt in spellings:
                fields.setdefault(field, place)
    return fields


def _person(row: Sequence[str], fields: dict[str, int]) -> Person:
    values = {field: row[place].strip() for field, place in fields.items() if place < len(row)}
    parts = f"{values.pop('first', '')} {values.pop('last', '')}".strip()
    identifier = values.get("email") or values.get("login") or values.get("id") or values.get("sis_id") or ""
    name = values.pop("name", "") or parts or identifier
    return Person(name, **values)
