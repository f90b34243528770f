"""CSV for people and their own programs: a row for each learner, or for each learner and exercise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from grader.classroom.roster import Learner
from grader.csv_writing import number_field, text_field
from grader.csv_writing import table as as_csv
from grader.errors import KataError
from grader.record import Record
from grader.render.safe_text import visible
from grader.render.wording import MARKS, change

from .results_table import ResultsTable, mark_of, shown_name

BY_EXERCISE = "grades-by-exercise.csv"
"""What the file is called with a row for each learner and exercise."""

Cells = list[str | float | None]


def lines(table: ResultsTable) -> Iterable[str]:
    """The lines of the file. Raises KataError if it is asked for by unit."""
    if table.options.by == "unit":
        raise KataError("The format csv has a row by learner or by exercise, not by unit.")
    graded = ["graded_points", "graded_max_points"] if table.is_adjusted else []
    has_groups = any(each.group for each in table.learners)
    titles = ["submission", "name", "id", "email", *(["group"] if has_groups else [])]
    if table.options.by == "learner":
        titles += ["remark", "points", "max_points", *graded, *(["adjustments"] if graded else []), *table.worth]
        titles += ["files_not_taken", "isolation", "seed"]
        place, of_record = titles.index("remark"), _of_record
    else:
        titles += ["exercise", "title", "status", "points", "max_points", *graded]
        titles += ["checks_passed", "checks", "mistakes"]
        place, of_record = titles.index("status"), _of_exercises

    def rows() -> Iterator[Cells]:
        for row in table.rows():
            for cells in of_record(row.record, table):
                yield [*_who(row.learner, table, has_groups), *cells]
        for learner in table.absent:
            cells = [*_who(learner, table, has_groups), *[None] * len(titles)][: len(titles)]
            cells[place] = "handed in nothing"
            yield cells

    return chain([as_csv([titles])], (as_csv([[*map(_field, cells)]]) for cells in rows()))


def _field(cell: str | float | None) -> str:
    if isinstance(cell, int):
        return str(cell)  # a seed must keep all digits
    return text_field(visible(cell)) if isinstance(cell, str) else number_field(cell)


def _who(learner: Learner, table: ResultsTable, has_groups: bool) -> Cells:
    who: Cells = [learner.id, learner.name, None, learner.email]
    if person := table.people.get(learner.id):
        id = person.own_id or person.sis_id or person.login
        who = [learner.id, shown_name(person), id, person.email or learner.email]
    return [*who, learner.group] if has_groups else who


def _of_record(record: Record, table: ResultsTable) -> Iterator[Cells]:
    failed = [each.id for each in record.exercises if each.status == "error"]
    cells: Cells = [f"not graded: {', '.join(failed)}" if failed else None, mark_of(record), record.counted_max_points]
    if table.is_adjusted:
        reasons = " ".join(f"{each.reason} ({change(each)})" for each in record.adjustments or ())
        cells += [record.points if record.complete else None, record.max_points, reasons]
    marks = {each.id: mark_of(each) for each in record.exercises}
    yield [*cells, *map(marks.get, table.worth), len(record.not_taken), record.isolation, record.seed]


def _of_exercises(record: Record, table: ResultsTable) -> Iterator[Cells]:
    for each in record.exercises:
        cells: Cells = [
            each.id,
            table.titles.get(each.id, each.id),
            f"{MARKS[each.status].word}{', does not count' if each.uncounted else ''}",
            mark_of(each),
            each.counted_max_points,
        ]
        cells += [each.points, each.max_points] if table.is_adjusted else []
        passed = sum(check.outcome == "passed" for check in each.checks)
        yield [*cells, passed, len(each.checks), " ".join(found.mistake for found in each.diagnosis)]
