"""Whom a platform's roster means by the learners of a class: a CSV that Canvas or Moodle exported, or typed by hand.

Submissions are matched to learners as with `kata grade-class --roster`. Here each column is kept apart, because an
import wants an id in the column from which it came.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.classroom.csv_file import read_table
from grader.classroom.learners import Finder, Learner, folded
from grader.classroom.owners import RosterOwners
from grader.classroom.platforms import NameReading
from grader.classroom.roster import RosterRow, roster_rows
from grader.errors import KataError

Person = RosterRow
Roster = Sequence[Person]


@dataclass(frozen=True)
class Matches:
    """The person for each learner, by the name in the results.

    torn: names of learners who match the same person, by that person's name; `of` has none of them.
    """

    of: Mapping[str, Person]
    torn: Mapping[str, tuple[str, ...]]

    @property
    def none(self) -> frozenset[str]:
        """All names in the results that are in `torn`."""
        return frozenset(name for names in self.torn.values() for name in names)


def read_people(path: Path) -> Roster:
    """Read a roster; its first line names the columns.

    Raises KataError when it cannot be read, has no column with names or identifiers, or has no learners.
    """
    people = [row for _, row in roster_rows(read_table(path)) if shown_name(row)]
    if not people:
        raise KataError(f"{path} names no learner.")
    return people


def shown_name(person: Person) -> str:
    """The name for people, or what else there is."""
    return person.name or person.email or person.login or person.own_id or person.sis_id


def first_and_last(person: Person) -> tuple[str, str]:
    """First and last name; an empty text and the whole name where the roster does not separate them."""
    if person.first and person.last:
        return person.first, person.last
    family, _, given = shown_name(person).partition(",")
    return (given.strip(), family.strip()) if given.strip() else ("", shown_name(person))


def match_people(learners: Sequence[Learner], roster: Roster | None) -> Matches:
    """Find the person for each learner of one class; without a roster, as in the results.

    Learners who are not in the roster are left out, and so are all who match the same person.
    """
    if roster is None:
        ids = {each.id: each.id if each.in_roster else "" for each in learners}
        as_graded = {each.id: Person(whole_name=each.name, sis_id=ids[each.id], email=each.email) for each in learners}
        return Matches(as_graded, {})
    enrolled = [_enrolled(person, place) for place, person in enumerate(roster)]
    finder = Finder(enrolled)
    by_platform = {each: RosterOwners(enrolled, each) for each in {learner.platform for learner in learners}}
    owners: dict[str, list[str]] = {}
    for learner in learners:
        if learner.in_roster or learner.platform == "plain":
            texts = filter(None, (learner.id, *learner.ids, learner.email, learner.name))
            found = [each.id for each in next(filter(None, map(finder.find, texts)), ())]
        else:  # known by a submission alone: as that finds its learner when a class is graded with a roster
            meant = by_platform[learner.platform].meant(NameReading(learner.id, learner.name))
            found = [id for owner in meant for id in owner]
        if len(found) == 1:
            owners.setdefault(found[0], []).append(learner.id)
    people = {each.id: person for each, person in zip(enrolled, roster, strict=True)}
    torn: dict[str, tuple[str, ...]] = {}
    for owner, names in owners.items():
        if len(names) > 1:  # several people may have this name
            name = shown_name(people[owner])
            torn[name] = (*torn.get(name, ()), *names)
    return Matches({names[0]: people[owner] for owner, names in owners.items() if len(names) == 1}, torn)


def namesakes(learners: Sequence[Learner], people: Matches, roster: Roster | None) -> list[str]:
    """Learners of whom only a name is known that another one has too, by their ids in the results."""
    known = {each.id for each in learners if each.in_roster} if roster is None else people.of.keys()
    names = [each.name for each in learners if roster is None or each.id not in people.of]
    counts = Counter(folded(name) for name in [*names, *map(shown_name, roster or ())])
    return [each.id for each in learners if each.id not in known and counts[folded(each.name)] > 1]


def _enrolled(person: Person, place: int) -> Learner:
    """A person to be found. The id is the row's, and no text that anybody is called."""
    ids = tuple(filter(None, (person.own_id, person.sis_id, person.login)))
    return Learner(f"\0{place}", shown_name(person), person.email, ids, person.participant, canvas_id=person.own_id)
