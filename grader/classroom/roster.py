"""The learners of a class: the roster that says who is in it, and who of them is meant by a text.

A CSV with a row a learner, as a spreadsheet or a platform saves it. Columns are found by their titles; only one that
says who somebody is has to be there. `handed_in:02` and `extra_days:02` are about one unit, by its number or folder.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from grader.course import Course
from grader.course.model import EXAMPLE, did_you_mean, placed, quoted, read_moment, read_zone
from grader.errors import KataError

from .csv_file import DATE_EXAMPLE, IDENTIFIER, NOTHING, SUBMITTED, Table, lacking, letters, read_date, read_table
from .final_points import EVERY_UNIT, HandIn, earliest

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


class Finder:
    """Finds learners by a text. Several are found where it could mean each of them."""

    def __init__(self, learners: Iterable[Learner]) -> None:
        everyone = tuple(learners)
        self._ids = indexed(everyone, lambda each: (each.id, *each.ids), folded)
        self._emails = indexed(everyone, lambda each: [each.email], folded)
        self._names = indexed(everyone, _orders, name_key)

    def find(self, text: str) -> tuple[Learner, ...]:
        """Those with this id, login or email; if there are none, those with this name."""
        return self.by_id(text) or self._emails.get(folded(text), ()) or self.by_name(text)

    def by_id(self, text: str) -> tuple[Learner, ...]:
        """Those with this id or login; the only one who has it to the letter, if there is one."""
        found = self._ids.get(folded(text), ())
        exact = tuple(each for each in found if text in (each.id, *each.ids))
        return exact if len(exact) == 1 else found

    def by_name(self, text: str) -> tuple[Learner, ...]:
        """Those with this name, its words in any order that begins elsewhere and goes round."""
        return self._names.get(name_key(text), ())


def indexed(
    learners: Sequence[Learner], texts: Callable[[Learner], Iterable[str]], key: Callable[[str], str]
) -> Mapping[str, tuple[Learner, ...]]:
    """The learners by the keys of these texts of theirs; not by empty ones."""
    found: dict[str, list[Learner]] = defaultdict(list)
    for learner in learners:
        for each in {key(text) for text in texts(learner)} - {""}:
            found[each].append(learner)
    return {each: tuple(owners) for each, owners in found.items()}


def _orders(learner: Learner) -> list[str]:
    """The name from each of its words on: only Canvas knows how many words the family name has, which it puts first."""
    if learner.name == learner.id:
        return []
    family, _, given = learner.name.partition(",")
    words = f"{given} {family}".split()
    return [learner.name, *(" ".join([*words[at:], *words[:at]]) for at in range(min(len(words), MOST_WORDS)))]


def find_learner(learners: Sequence[Learner], text: str, place: object, command: str) -> Learner:
    """The learner of `place` whom a text means. `command`: to show in the message; an id is added to it.

    Raises KataError when it is nobody, or could be several.
    """
    found = Finder(learners).find(text)
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(each.id for each in found)
        raise KataError(f"{text!r} could be {len(found)} learners: give one of the ids {ids}.")
    some = ", ".join(repr(each.id) for each in learners[:3])
    example = f", such as: {command} {shlex.quote(learners[0].id)}" if learners else ""
    raise KataError(f"Nobody in {place} is called {text!r}. Ids there look like {some}{example}")


# --- the file ---------------------------------------------------------------------------------------------------------

# As `letters` spells titles. The first that is there, and filled, is the one.
IDS = ("id", "studentid", "learnerid", "idnumber", "sisuserid", "sisid", "orgdefinedid", "matriculationnumber",
       "username", "userid", "sisloginid", "loginid", "login", "netid")  # fmt: skip
TITLES: Mapping[str, tuple[str, ...]] = {
    "ids": IDS,
    "whole_name": ("name", "fullname", "displayname", "studentname", "learnername", "student", "learner"),
    "first": ("firstname", "firstnames", "givenname", "givennames", "first"),
    "last": ("lastname", "surname", "familyname", "last"),
    "own_id": (*IDS[:3], "canvasid"),
    "sis_id": IDS[3:8],
    "login": IDS[8:],
    "email": ("email", "emailaddress", "mail", "emails"),
    "identifier": (IDENTIFIER,),
    "group": ("group", "groupname", "team", "teamname"),  # Moodle's "Groups" are of lessons: they hand in one by one
}
WHO = ("ids", "own_id", "email", "whole_name", "last")
"""What says who somebody is."""
CANVAS_TITLES = ({"canvasid"}, {"sisuserid"}, {"sisloginid"}, {"student", "id", "section"})
"""Columns by which a table is Canvas's own gradebook: the column ID there is Canvas's number of a user."""
HANDED_IN, EXTRA_DAYS, EXEMPT = "handed_in", "extra_days", "exempt"
POLICY_TITLES: Mapping[str, tuple[str, ...]] = {
    HANDED_IN: ("handedin", "handedinat", "submittedat", "submissiontime", SUBMITTED),
    EXTRA_DAYS: ("extradays",),
    EXEMPT: ("exempt",),
}
EXAMPLE_ROWS = ("id,name,email", "1815,Ada Byron,ada@uni.example")
MOST_DAYS = 366

_DAYS = re.compile(r"[0-9]{1,3}(?:[.,][0-9]{1,2})?")
_PARTICIPANT = re.compile(r"[^0-9]*([0-9]+)")
_POINTS_POSSIBLE = "points possible"  # Canvas puts what assignments are worth into a second row


def read_roster(path: Path, course: Course, withdrawn: Collection[str] = ()) -> tuple[Learner, ...]:
    """The learners of a roster in its order, and what the policy has to know of them.

    withdrawn: exercises that a course once had; whoever is exempt from one of them is exempt from nothing.
    Raises KataError when it cannot be read or no column says who somebody is; else with every problem in it, one a
    line: somebody without an id, an id twice, a time, a number of days, a unit or an exercise that is none.
    """
    table = read_table(path)
    places = {what: table.places(titles) for what, titles in TITLES.items()}
    if not any(places[what] for what in WHO):
        raise KataError(lacking(table, "column for ids, names or emails", *EXAMPLE_ROWS))
    problems: list[str] = []
    columns = _policy_columns(table, course, problems)
    learners: list[Learner] = []
    first_line: dict[str, int] = {}
    of_canvas = any(each <= set(table.columns) for each in CANVAS_TITLES)
    for number, cells in table.rows:
        learner = _learner(cells, places)
        if learner.name.casefold() == _POINTS_POSSIBLE:
            continue
        if not learner.id:
            problems.append(f"line {number}: there is no id, name or email.")
        elif first_line.setdefault(learner.id, number) != number:
            problems.append(f"line {number}: {learner.id} is in line {first_line[learner.id]} already.")
        hand_in, wrong = _hand_in(columns, cells, course, withdrawn)
        problems += [f"line {number}, {each}" for each in wrong]
        row, canvas_id = replace(table, rows=((number, cells),)).text(), learner.own_id if of_canvas else ""
        learners.append(replace(learner, hand_in=hand_in, canvas_id=canvas_id, roster_row=row))
    if problems:
        raise KataError("\n".join(f"{path}, {problem}" for problem in problems))
    if not learners:
        raise KataError(f"{path} names no learner.")
    return tuple(learners)


def _learner(cells: Sequence[str], places: Mapping[str, Sequence[int]]) -> Learner:
    """Who stands in a row; with an empty id if it is nobody."""
    filled = {what: [text for place in there if (text := cells[place].strip())] for what, there in places.items()}
    said: dict[str, Any] = {what: next(iter(texts), "") for what, texts in filled.items()}
    name = said.pop("whole_name") or f"{said['first']} {said['last']}".strip()
    id = said.pop("ids") or said["email"] or name
    participant = _PARTICIPANT.fullmatch(said.pop("identifier"))
    number = participant[1] if participant else ""
    return Learner(id, name or id, ids=tuple(filled["ids"]), participant=number, **said)


# --- what the policy has to know --------------------------------------------------------------------------------------

_Columns = Mapping[tuple[str, str], tuple[int, str]]
"""By what a column says and the unit that it is about, or EVERY_UNIT: where it is, and its title."""


def _policy_columns(table: Table, course: Course, problems: list[str]) -> _Columns:
    found: dict[tuple[str, str], tuple[int, str]] = {}
    for place, title in enumerate(table.titles):
        name, colon, unit = (part.strip() for part in title.strip().partition(":"))
        known = {letters(name)} | ({table.columns[place]} if not colon else set())
        what = next((each for each, titles in POLICY_TITLES.items() if not known.isdisjoint(titles)), None)
        if what is None:
            continue
        units = _units_called(unit, course) if colon and unit != EVERY_UNIT else [EVERY_UNIT]
        if not units:
            problems.append(f"line 1: there is no unit {quoted(unit)} in the course.")
        for each in units:
            first, other = found.setdefault((what, each), (place, title.strip()))
            if first != place:
                titles = f"{quoted(other)} and {quoted(title.strip())}"
                problems.append(f"line 1: {titles} are about the same: take one out.")
    return found


def _hand_in(
    columns: _Columns, cells: Sequence[str], course: Course, withdrawn: Collection[str]
) -> tuple[HandIn, list[str]]:
    """What a row says, and what is wrong with it: the column first."""
    at: dict[str, datetime] = {}
    extra_days: dict[str, float] = {}
    exempt: dict[str, None] = {}
    wrong: list[str] = []
    for (what, unit), (place, title) in columns.items():
        text = cells[place].strip()
        if text in ("", NOTHING):  # systems list those who handed in nothing, too
            continue
        try:
            if what == EXEMPT:
                exempt |= dict.fromkeys(_exempt(text, course, withdrawn))
            elif what == EXTRA_DAYS:
                extra_days[unit] = _days(text, unit, course)
            elif course.policy.due:  # else nobody is late, whatever times a worksheet of Moodle's has
                at[unit] = _moment(text, course.policy.time_zone)
        except KataError as error:
            wrong.append(f"{quoted(title)}: {error}")
    return HandIn(at=at, extra_days=extra_days, exempt=tuple(exempt)), wrong


def _units_called(name: str, course: Course) -> list[str]:
    return [unit.folder for unit in course.units if unit.is_called(name)]


def _moment(text: str, zone: str | None) -> datetime:
    """A time; one without its distance from UTC is in the course's time zone, one shown twice is the earlier."""
    moment = read_moment(text) or read_date(text)
    if moment is None:
        raise KataError(
            f"{quoted(text)} is not a date and a time such as {EXAMPLE}, nor as Moodle writes them ({DATE_EXAMPLE})."
        )
    in_zone = placed(moment, read_zone(zone) if zone else None)
    if in_zone is None:
        raise KataError(
            f"nobody knows in which time zone {quoted(text)} is: write {EXAMPLE} +01:00, or add time_zone to the "
            "policy in course.yml."
        )
    return earliest(in_zone)


def _days(text: str, unit: str, course: Course) -> float:
    due = course.policy.due
    if unit not in due and not (due and unit == EVERY_UNIT):
        needed = course.units[0].folder if unit == EVERY_UNIT else unit
        raise KataError(
            "course.yml gives no due date, so extra days are of no use. To give one, write these lines there:\n"
            f"    policy:\n      due: {{{needed}: {EXAMPLE} +01:00}}\n      late_percent_per_day: 10"
        )
    if not _DAYS.fullmatch(text) or (days := float(text.replace(",", "."))) > MOST_DAYS:
        raise KataError(f"{quoted(text)} is no number of days from 0 to {MOST_DAYS}.")
    return days


def _exempt(text: str, course: Course, withdrawn: Collection[str]) -> Iterator[str]:
    """The exercises in a list of exercises and units."""
    ids = [each.id for each in course.exercises]
    for name in re.split(r"[\s,;]+", text.strip(" ,;")):
        units = _units_called(name, course)
        meant = [name] if name in ids else [each.id for each in course.exercises if each.unit in units]
        if not meant and name not in withdrawn:
            near = did_you_mean(name, [*ids, *(unit.folder for unit in course.units)])
            raise KataError(f"there is no exercise and no unit {quoted(name)}{near or '.'}")
        yield from meant
