"""Whom a platform's roster means by the learners of a class: a CSV that Canvas or Moodle exported, or typed by hand.

Submissions are matched to learners as with `kata grade-class --roster`. Here each column is kept apart, because an
import wants an id in the column from which it came.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.classroom.claims import Claim, folded, resolve
from grader.classroom.csv_file import read_table
from grader.classroom.learners import Learner as Enrolled
from grader.classroom.lms_names import platform_called
from grader.classroom.matcher import Matcher
from grader.classroom.members import ListedLearner as Learner
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
        ids = {each.name: each.name if each.in_roster else "" for each in learners}
        as_graded = {
            each.name: Person(whole_name=each.shown, sis_id=ids[each.name], email=each.email) for each in learners
        }
        return Matches(as_graded, {})
    people = {_enrolled(person): person for person in roster}
    matches = resolve([_claim(each) for each in learners], list(people)).matches
    matcher = Matcher(list(people))
    owners: dict[Enrolled, list[str]] = {}
    for learner, match in zip(learners, matches, strict=True):
        # on a platform learners choose the names that are displayed
        texts = () if learner.platform else (learner.email, learner.shown)
        called_so = (found for text in texts if text and (found := matcher.learner(text)))
        if owner := match.learner or next(called_so, None):
            owners.setdefault(owner, []).append(learner.name)
    torn: dict[str, tuple[str, ...]] = {}
    for owner, names in owners.items():
        if len(names) > 1:  # several people may have this name
            torn[owner.name] = (*torn.get(owner.name, ()), *names)
    return Matches({names[0]: people[owner] for owner, names in owners.items() if len(names) == 1}, torn)


def namesakes(learners: Sequence[Learner], people: Matches, roster: Roster | None) -> list[str]:
    """Learners of whom only a name is known that another one has too, by their names in the results."""
    known = {each.name for each in learners if each.in_roster} if roster is None else people.of.keys()
    names = [each.shown for each in learners if roster is None or each.name not in people.of]
    counts = Counter(folded(name) for name in [*names, *map(shown_name, roster or ())])
    return [each.name for each in learners if each.name not in known and counts[folded(each.shown)] > 1]


def _enrolled(person: Person) -> Enrolled:
    ids, name = tuple(filter(None, (person.own_id, person.sis_id, person.login))), shown_name(person)
    return Enrolled(next(iter(ids), person.email or name), name, person.email, ids, person.participant)


def _claim(learner: Learner) -> Claim:
    """The learner's name as a claim; the id if the class was graded with a roster."""
    platform = platform_called(learner.platform)
    return Claim(platform, learner.name if platform in ("plain", "blackboard") else learner.shown, learner.ids)
