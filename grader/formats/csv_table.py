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

POINTS_OF = "points of "
"""Here in front of an exercise's id, which may be any column's title; in the file the title is the id alone."""

Cells = dict[str, str | float | None]
"""A row's cells by their columns' titles; those that are not there are empty."""


def lines(table: ResultsTable) -> Iterable[str]:
    """The lines of the file. Raises KataError if it is asked for by unit."""
    if table.options.by == "unit":
        raise KataError("The format csv has a row by learner or by exercise, not by unit.")
    by_learner = table.options.by == "learner"
    graded = ["graded_points", "graded_max_points"] if table.is_adjusted else []
    group = ["group"] if any(each.group for each in table.learners) else []
    titles = ["submission", "name", "id", "email", *group]
    if by_learner:
        titles += ["remark", "points", "max_points", *graded, *(["adjustments"] if graded else [])]
        titles += [*(POINTS_OF + id for id in table.worth), "files_not_taken", "isolation", "seed"]
    else:
        titles += ["exercise", "title", "status", "points", "max_points", *graded]
        titles += ["checks_passed", "checks", "mistakes"]
    header = as_csv([[each.removeprefix(POINTS_OF) for each in titles]])
    rows = _rows(table, "remark" if by_learner else "status")
    lines = (as_csv([[_field(cells.get(each)) for each in titles]]) for cells in rows)
    return chain([header], lines)


def _field(cell: str | float | None) -> str:
    if isinstance(cell, int):
        return str(cell)  # a seed must keep all digits
    return text_field(visible(cell)) if isinstance(cell, str) else number_field(cell)


def _rows(table: ResultsTable, reason: str) -> Iterator[Cells]:
    """The rows of everybody with a record, and a row with the reason, in that column, of everybody without."""
    for row in table.rows():
        by_exercise = _of_exercises(row.record, table.titles)
        for cells in [_of_record(row.record)] if table.options.by == "learner" else by_exercise:
            yield {**_who(row.learner, table), **cells}
    for learner in table.absent:
        yield {**_who(learner, table), reason: "handed in nothing"}


def _who(learner: Learner, table: ResultsTable) -> Cells:
    who: Cells = {"submission": learner.id, "name": learner.name, "email": learner.email, "group": learner.group}
    if person := table.people.get(learner.id):
        id, email = person.own_id or person.sis_id or person.login, person.email or learner.email
        who |= {"name": shown_name(person), "id": id, "email": email}
    return who


def _of_record(record: Record) -> Cells:
    failed = [each.id for each in record.exercises if each.status == "error"]
    cells: Cells = {POINTS_OF + each.id: mark_of(each) for each in record.exercises}
    cells |= {"remark": f"not graded: {', '.join(failed)}" if failed else None}
    cells |= {"points": mark_of(record), "max_points": record.counted_max_points}
    if record.is_adjusted:
        reasons = " ".join(f"{each.reason} ({change(each)})" for each in record.adjustments or ())
        graded = record.points if record.complete else None
        cells |= {"graded_points": graded, "graded_max_points": record.max_points, "adjustments": reasons}
    return {**cells, "files_not_taken": len(record.not_taken), "isolation": record.isolation, "seed": record.seed}


def _of_exercises(record: Record, titles: dict[str, str]) -> Iterator[Cells]:
    for each in record.exercises:
        yield {
            "exercise": each.id,
            "title": titles.get(each.id, each.id),
            "status": f"{MARKS[each.status].word}{', does not count' if each.uncounted else ''}",
            "points": mark_of(each),
            "max_points": each.counted_max_points,
            "graded_points": each.points,
            "graded_max_points": each.max_points,
            "checks_passed": sum(check.outcome == "passed" for check in each.checks),
            "checks": len(each.checks),
            "mistakes": " ".join(found.mistake for found in each.diagnosis),
        }
