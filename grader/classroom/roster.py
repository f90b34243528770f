"""The learners of a class: the roster that says who is in it, and who of them is meant by a text.

A CSV with a row a learner, as a spreadsheet or a platform saves it. Columns are found by their titles; only one that
says who somebody is has to be there. `handed_in:02` and `extra_days:02` are about one unit, by its number or folder.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from grader.course import Course
from grader.course.model import EXAMPLE, placed, quoted, read_moment
from grader.csv_file import DATE_EXAMPLE, IDENTIFIER, NOTHING, SUBMITTED, Table, lacking, letters, read_date, read_table
from grader.errors import KataError

from .final_points import EVERY_UNIT, HandIn

T = TypeVar("T")
MOST_WORDS = 12
"""The most words of a name for which other orders are tried."""


@dataclass(frozen=True)
class Learner:
    """One learner of a class.

    id: a record's `submission`. name: for people; first, last: where the roster has them apart. ids: every number and
    login, of the roster, or without one the platform's own; own_id, sis_id, login: what the roster calls so. canvas_id,
    participant: the number in Canvas, and in one assignment of Moodle's, where the roster is their own export. hand_in:
    what the policy has to know. in_roster: False if only a submission says that there is such a learner. roster_row:
    the roster's titles and row, as a CSV.
    """

    id: str
    name: str
    email: str = ""
    ids: tuple[str, ...] = ()
    participant: str = ""
    group: str = ""
    hand_in: HandIn = field(default=HandIn(), compare=False)
    canvas_id: str = ""
    in_roster: bool = True
    first: str = ""
    last: str = ""
    own_id: str = ""
    sis_id: str = ""
    login: str = ""
    roster_row: str = field(default="", compare=False)

    @property
    def shown(self) -> str:
        """The name with the id: so people know a learner, also of two with one name."""
        return self.name if self.name == self.id else f"{self.name} ({self.id})"


def folded(text: str) -> str:
    """The text without differences of case, of Unicode's forms and of invisible characters."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(char for char in plain if unicodedata.category(char) != "Cf").strip()


def name_key(text: str) -> str:
    """A name without blanks and signs too, as platforms write it in file names; accents make names different."""
    return "".join(char for char in folded(text) if char.isalnum() or unicodedata.category(char).startswith("M"))


def name_keys(learner: Learner) -> list[str]:
    """The name from each of its words on: only Canvas knows how many words the family name has, which it puts first."""
    if learner.name == learner.id:
        return []
    family, _, given = learner.name.partition(",")
    words = f"{given} {family}".split()
    places = range(min(len(words), MOST_WORDS))
    return [name_key(learner.name), *(name_key("".join(words[at:] + words[:at])) for at in places)]


def indexed(owners: Iterable[T], keys: Callable[[T], Iterable[str]]) -> Mapping[str, Sequence[T]]:
    """Owners by the keys that they have."""
    found: dict[str, list[T]] = defaultdict(list)
    for each in owners:
        for key in {*keys(each)} - {""}:
            found[key].append(each)
    return dict(found)


def ids_in(learners: Iterable[Learner]) -> Callable[[str], Sequence[Learner]]:
    """Finds those with an id, login or email; if one alone has it to the letter, that one."""
    index = indexed(learners, lambda each: map(folded, (each.id, *each.ids, each.email)))

    def find(text: str) -> Sequence[Learner]:
        found = index.get(folded(text), ())
        exact = [each for each in found if text in (each.id, *each.ids)]
        return exact if len(exact) == 1 else found

    return find


def find_learner(learners: Sequence[Learner], text: str, place: object, command: str) -> Learner:
    """The learner of `place` whom a text means. `command`: to show in the message; an id is added to it.

    Raises KataError when it is nobody, or could be several.
    """
    found = ids_in(learners)(text) or indexed(learners, name_keys).get(name_key(text), ())
    if len(found) == 1:
        return found[0]
    ids = [each.id for each in found or learners[:3]]
    if found:
        raise KataError(f"{text!r} could be {len(found)} learners: give one of the ids {', '.join(ids)}.")
    example = f", such as: {command} {shlex.quote(ids[0])}" if ids else ""
    raise KataError(f"Nobody in {place} is called {text!r}. Ids there look like {', '.join(map(repr, ids))}{example}")


# --- the file ---------------------------------------------------------------------------------------------------------

# As `letters` spells titles. The first that is there, and filled, is the one.
IDS = ("own_id", "sis_id", "login")
TITLES: Mapping[str, tuple[str, ...]] = {
    "own_id": ("id", "studentid", "learnerid", "canvasid"),
    "sis_id": ("idnumber", "sisuserid", "sisid", "orgdefinedid", "matriculationnumber"),
    "login": ("username", "userid", "sisloginid", "loginid", "login", "netid"),
    "email": ("email", "emailaddress", "mail", "emails"),
    "name": ("name", "fullname", "displayname", "studentname", "learnername", "student", "learner"),
    "first": ("firstname", "firstnames", "givenname", "givennames", "first"),
    "last": ("lastname", "surname", "familyname", "last"),
    "participant": (IDENTIFIER,),
    "canvas_id": ("canvasid",),
    "group": ("group", "groupname", "team", "teamname"),  # Moodle's "Groups" are of lessons: they hand in one by one
}
OF_CANVAS = {"sisuserid"}, {"sisloginid"}, {"student", "id", "section"}
"""Columns by which a table is Canvas's own gradebook: the column ID there is Canvas's number of a user."""
POLICY_TITLES: Mapping[str, tuple[str, ...]] = {
    "at": ("handedin", "handedinat", "submittedat", "submissiontime", SUBMITTED),
    "extra_days": ("extradays",),
    "exempt": ("exempt",),
}
EXAMPLE_ROWS = ("id,name,email", "1815,Ada Byron,ada@uni.example")
MOST_DAYS = 366
_DAYS = re.compile(r"[0-9]{1,3}(?:[.,][0-9]{1,2})?")


def read_roster(path: Path, course: Course) -> tuple[Learner, ...]:
    """The learners of a roster in its order, and what the policy has to know of them.

    Raises KataError when it cannot be read or no column says who somebody is; else with every problem in it, one a
    line: somebody without an id, an id twice, a time, a number of days, a unit or an exercise that is none.
    """
    table = read_table(path)
    places = {what: table.places(titles) for what, titles in TITLES.items()}
    if not any(places[what] for what in (*IDS, "email", "name", "last")):
        raise KataError(lacking(table, "column for ids, names or emails", *EXAMPLE_ROWS))
    if any(each <= set(table.columns) for each in OF_CANVAS):
        places["canvas_id"] = places["own_id"]
    columns, problems = _policy_columns(table, course)
    learners: list[Learner] = []
    lines: dict[str, int] = {}
    for line, cells in table.rows:
        learner = _learner(cells, places)
        if learner.name.casefold() == "points possible":  # Canvas writes what assignments are worth into a row
            continue
        if not learner.id:
            problems.append(f"line {line}: there is no id, name or email.")
        elif lines.setdefault(learner.id, line) != line:
            problems.append(f"line {line}: {learner.id} is in line {lines[learner.id]} already.")
        hand_in, wrong = _hand_in(columns, cells, course)
        problems += [f"line {line}, {each}" for each in wrong]
        row = replace(table, rows=((line, cells),)).text()
        learners.append(replace(learner, hand_in=hand_in, roster_row=row))
    if problems:
        raise KataError("\n".join(f"{path}, {problem}" for problem in problems))
    if not learners:
        raise KataError(f"{path} names no learner.")
    return tuple(learners)


def _learner(cells: Sequence[str], places: Mapping[str, Sequence[int]]) -> Learner:
    """Who stands in a row; with an empty id if it is nobody."""
    filled = {what: [text for place in there if (text := cells[place].strip())] for what, there in places.items()}
    said: dict[str, Any] = {what: next(iter(texts), "") for what, texts in filled.items()}
    ids = tuple(chain(*(filled[what] for what in IDS)))
    name = said["name"] or f"{said['first']} {said['last']}".strip()
    id = next(iter(ids), said["email"] or name)
    number = re.fullmatch(r"[^0-9]*([0-9]+)", said["participant"])
    return Learner(**{**said, "id": id, "name": name or id, "ids": ids, "participant": number[1] if number else ""})


# --- what the policy has to know --------------------------------------------------------------------------------------

_Columns = Mapping[tuple[str, str], tuple[int, str]]
"""By what a column says and the unit that it is about, or EVERY_UNIT: where it is, and its title."""


def _policy_columns(table: Table, course: Course) -> tuple[_Columns, list[str]]:
    """Those of the table, and what is wrong with their titles."""
    found: dict[tuple[str, str], tuple[int, str]] = {}
    problems: list[str] = []
    for place, title in enumerate(table.titles):
        name, colon, unit = (part.strip() for part in title.partition(":"))
        said = letters(name) if colon else table.columns[place]
        what = next((each for each, titles in POLICY_TITLES.items() if said in titles), None)
        # nobody is late where nothing is due, whatever times a worksheet of Moodle's has
        if what is None or (what == "at" and not course.policy.due):
            continue
        units = [each.folder for each in course.units if each.is_called(unit)] if colon else [EVERY_UNIT]
        if not units:
            problems.append(f"line 1: there is no unit {quoted(unit)} in the course.")
        for each in units:
            first, one = found.setdefault((what, each), (place, title.strip()))
            if first != place:
                problems.append(f"line 1: {quoted(one)} and {quoted(title.strip())} are about the same: take one out.")
    return found, problems


def _hand_in(columns: _Columns, cells: Sequence[str], course: Course) -> tuple[HandIn, list[str]]:
    """What a row says, and what is wrong with it: the column first."""
    read: Mapping[str, Callable[[str, Course], Any]] = {"at": _moment, "extra_days": _days, "exempt": _exempt}
    said: dict[str, dict[str, Any]] = {what: {} for what in read}
    wrong: list[str] = []
    for (what, unit), (place, title) in columns.items():
        text = cells[place].strip()
        if text not in ("", NOTHING):  # systems list those who handed in nothing, too
            try:
                said[what][unit] = read[what](text, course)
            except KataError as error:
                wrong.append(f"{quoted(title)}: {error}")
    exempt = dict.fromkeys(chain(*said.pop("exempt").values()))
    return HandIn(**said, exempt=tuple(exempt)), wrong


def _moment(text: str, course: Course) -> datetime:
    """A time; one without its distance from UTC is in the course's time zone, one shown twice is the earlier."""
    moment = read_moment(text) or read_date(text)
    if moment is None:
        raise KataError(
            f"{quoted(text)} is not a date and a time such as {EXAMPLE}, nor as Moodle writes them ({DATE_EXAMPLE})."
        )
    in_zone = placed(moment, course.policy.time_zone)
    if in_zone is None:
        raise KataError(f"{quoted(text)} is in no time zone: write {EXAMPLE} +01:00, or time_zone into course.yml.")
    return min(in_zone.replace(fold=fold).astimezone(timezone.utc) for fold in (0, 1))


def _days(text: str, _: Course) -> float:
    if not _DAYS.fullmatch(text) or (days := float(text.replace(",", "."))) > MOST_DAYS:
        raise KataError(f"{quoted(text)} is no number of days from 0 to {MOST_DAYS}.")
    return days


def _exempt(text: str, course: Course) -> list[str]:
    """The exercises in a list of exercises and units."""
    found: list[str] = []
    for name in re.split(r"[\s,;]+", text.strip(" ,;")):
        units = [unit.folder for unit in course.units if unit.is_called(name)]
        meant = [each.id for each in course.exercises if each.id == name or each.unit in units]
        if not meant:
            raise KataError(f"there is no exercise and no unit {quoted(name)}.")
        found += meant
    return found
