"""The class's roster as it came, and what it calls each learner: an import wants an id where it came from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from grader.classroom.csv_file import Table, table_in
from grader.classroom.learners import Learner
from grader.classroom.roster import RosterRow, roster_rows

Person = RosterRow


@dataclass(frozen=True)
class ClassRoster:
    """The table, its rows numbered from 0, and the id of the learner in each row."""

    table: Table
    ids: tuple[str, ...]

    def people(self) -> dict[str, Person]:
        """Each learner of the roster, as it calls them."""
        return {self.ids[number]: row for number, row in roster_rows(self.table)}


def roster_of(learners: Iterable[Learner]) -> ClassRoster | None:
    """The roster with which a class was graded; None if there was none."""
    rows = {each.id: table_in(each.roster_row.encode(), "the roster") for each in learners if each.roster_row}
    if not rows:
        return None
    first = next(iter(rows.values()))
    cells = {id: row.rows[0][1] for id, row in rows.items() if row.titles == first.titles}
    # as a whole again: the columns of Moodle's worksheet are found by what they hold
    table = table_in(replace(first, rows=tuple(enumerate(cells.values()))).text().encode(), first.name)
    return ClassRoster(replace(table, rows=tuple(enumerate(cells.values()))), tuple(cells))


def shown_name(person: Person) -> str:
    """The name for people, or what else there is."""
    return person.name or person.email or person.login or person.own_id or person.sis_id


def first_and_last(person: Person) -> tuple[str, str]:
    """First and last name; an empty text and the whole name where the roster does not separate them."""
    if person.first and person.last:
        return person.first, person.last
    family, _, given = shown_name(person).partition(",")
    return (given.strip(), family.strip()) if given.strip() else ("", shown_name(person))
