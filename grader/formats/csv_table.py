"""CSV for people and their own programs: a row for each learner, or for each learner and exercise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from grader.classroom.members import Learner
from grader.errors import KataError
from grader.record import Record
from grader.render.csv_text import number_field, text_field
from grader.render.csv_text import table as as_csv
from grader.render.safe_text import visible
from grader.render.wording import MARKS, change

from .people import shown_name
from .results_table import ResultsTable, mark_of

BOM = "\ufeff"
"""At the start of a file it tells Excel that the encoding is UTF-8; without it é becomes Ã©."""

BY_EXERCISE = "grades-by-exercise.csv"
"""What the file is called with a row for each learner and exercise."""

HANDED_IN_NOTHING = "handed in nothing"
CLAIMED_TWICE = "several submissions claim to be theirs, so none counts"

Cells = list[str | float | None]


def lines(table: ResultsTable) -> Iterable[str]:
    """The lines of the file. Raises KataError if it is asked for by unit."""
    if table.options.by == "unit":
        raise KataError("The format csv has a row by learner or by exercise, not by unit.")
    lines = (as_csv([[_field(cell) for cell in cells]]) for cells in _rows(table))
    return chain([BOM] if table.options.bom else [], lines)


def _field(cell: str | float | None) -> str:
    if isinstance(cell, int):
        return str(cell)  # a seed must keep all digits
    return text_field(visible(cell)) if isinstance(cell, str) else number_field(cell)


def _rows(table: ResultsTable) -> Iterator[Cells]:
    """The titles, the rows of everybody with a record, and a row with the reason of everybody without."""
    is_by_learner, before = table.options.by == "learner", ["graded_points", "graded_max_points"]
    titles: Cells = ["submission", "name", "id", "email", *(["group"] if table.has_groups else [])]
    titles += ["remark"] if is_by_learner else ["exercise", "title", "status"]
    reason = len(titles) - 1
    titles += ["points", "max_points", *(before if table.is_adjusted else [])]
    if is_by_learner:
        titles += ["adjustments"] if table.is_adjusted else []
        titles += [*table.worth, "files_not_taken", "isolation", "seed"]
    else:
        titles += ["checks_passed", "checks", "mistakes"]
    yield titles
    for row in table.rows():
        if row.learner.name not in table.people.none:
            who = _who(row.learner, table)
            for cells in [_of_record(row.record, table)] if is_by_learner else _of_exercises(row.record, table):
                yield [*who, *cells]
    without = [(each, HANDED_IN_NOTHING) for each in table.absent if each.name not in table.people.none]
    for learner, why in [*without, *((each, CLAIMED_TWICE) for each in table.disputed)]:
        cells = _who(learner, table)
        yield [*cells, *[None] * (reason - len(cells)), why, *[None] * (len(titles) - reason - 1)]


def _who(learner: Learner, table: ResultsTable) -> Cells:
    person = table.people.of.get(learner.name)
    name, id, email = learner.shown, "", ""
    if person:
        name, id, email = shown_name(person), person.own_id or person.sis_id or person.login, person.email
    return [learner.name, name, id, email or learner.email, *([learner.group] if table.has_groups else [])]


def _of_record(record: Record, table: ResultsTable) -> Cells:
    failed = [each.id for each in record.exercises if each.status == "error"]
    marks = {each.id: mark_of(each) for each in record.exercises}
    cells: Cells = [f"not graded: {', '.join(failed)}" if failed else None, mark_of(record), record.counted_max_points]
    if record.is_adjusted:
        reasons = " ".join(f"{each.reason} ({change(each)})" for each in record.adjustments or ())
        cells += [record.points if record.complete else None, record.max_points, visible(reasons)]
    elif table.is_adjusted:
        cells += [None, None, None]
    return [*cells, *(marks.get(id) for id in table.worth), len(record.not_taken), record.isolation, record.seed]


def _of_exercises(record: Record, table: ResultsTable) -> Iterator[Cells]:
    for each in record.exercises:
        status = f"{MARKS[each.status].word}{', does not count' if each.uncounted else ''}"
        passed = sum(check.outcome == "passed" for check in each.checks)
        yield [
            *(each.id, table.options.titles.get(each.id, each.id), status, mark_of(each), each.counted_max_points),
            *((each.points, each.max_points) if table.is_adjusted else ()),
            *(passed, len(each.checks), " ".join(found.mistake for found in each.diagnosis)),
        ]
