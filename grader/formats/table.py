"""CSV for people and their own programs: a row for each learner, or for each learner and exercise."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from grader.classroom.members import Learner
from grader.record import ExerciseResult, Record
from grader.render.csv_text import number_field, table, text_field
from grader.render.safe_text import visible
from grader.render.wording import MARKS, change

from .export import ExportTerms, File
from .graded import Graded
from .marks import ExportError, exercise_mark, mark, ungraded_exercises
from .roster import Person, people_of

BOM = "\ufeff"
"""At the start of a file it tells Excel that the encoding is UTF-8; without it é becomes Ã©."""

Cell = str | float | None

_WHO = ["submission", "name", "id", "email"]
HANDED_IN_NOTHING = "handed in nothing"
CLAIMED_TWICE = "several submissions claim to be theirs, so none counts"


def files(graded: Graded, terms: ExportTerms) -> Iterator[File]:
    """The one table. It begins with a byte order mark for Excel, unless the terms say otherwise.

    Raises ExportError when there is nothing to export or the terms ask for something this format lacks.
    """
    if terms.by == "unit":
        raise ExportError("The format csv has a row by learner or by exercise, not by unit.")
    everybody = people_of(chain(graded.summary.learners, graded.absent, graded.disputed), terms.roster)
    people, torn = everybody.of, everybody.none
    if terms.by == "exercise":
        name, rows = "grades-by-exercise.csv", _by_exercise(graded, terms, people, torn)
    else:
        name, rows = "grades.csv", _by_learner(graded, people, torn)
    yield File(name, chain([BOM] if terms.bom else [], csv_lines(rows)))


def csv_lines(rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """The rows as lines of CSV, one at a time; None is an empty field."""
    for row in rows:
        yield table([[_field(cell) for cell in row]])


def _field(cell: Cell) -> str:
    if isinstance(cell, int):
        return str(cell)  # a seed must keep all digits
    return text_field(visible(cell)) if isinstance(cell, str) else number_field(cell)


def _columns(graded: Graded) -> list[Cell]:
    """The titles of the identity columns; with the group's, if there are any."""
    return [*_WHO, *(["group"] if graded.summary.has_groups else [])]


def _who(learner: Learner, people: Mapping[str, Person], graded: Graded) -> list[Cell]:
    person = people.get(learner.name, Person(learner.shown))
    told = [learner.name, person.name, person.id or person.sis_id or person.login, person.email or learner.email]
    return [*told, *([learner.group] if graded.summary.has_groups else [])]


def _without_points(graded: Graded, torn: Collection[str]) -> Iterator[tuple[Learner, str]]:
    """Learners without points for reasons that are not the grader's fault, each with the reason."""
    for absent in graded.absent:
        if absent.name not in torn:
            yield absent, HANDED_IN_NOTHING
    for disputed in graded.disputed:
        yield disputed, CLAIMED_TWICE


def _by_learner(graded: Graded, people: Mapping[str, Person], torn: Collection[str]) -> Iterator[list[Cell]]:
    exercises = list(graded.summary.worth)
    how = ["graded_points", "graded_max_points", "adjustments"] if graded.summary.is_adjusted else []
    which = ["attempt", "attempts"] if graded.summary.has_attempts else []
    yield [
        *_columns(graded),
        "remark",
        *which,
        "points",
        "max_points",
        *how,
        *exercises,
        "files_not_taken",
        "isolation",
        "seed",
    ]
    for result in graded:
        if result.learner.name in torn:
            continue
        record = result.record
        marks = {exercise.id: exercise_mark(exercise) for exercise in record.exercises}
        yield [
            *_who(result.learner, people, graded),
            f"not graded: {', '.join(ungraded_exercises(record))}" if ungraded_exercises(record) else None,
            *(_which(record) if which else []),
            mark(record),
            record.counted_max_points,
            *(_how(record) if how else []),
            *(marks.get(id) for id in exercises),
            len(record.not_taken),
            record.isolation,
            record.seed,
        ]
    for learner, why in _without_points(graded, torn):
        nothing = (None for _ in (*which, *how, *exercises))
        yield [*_who(learner, people, graded), why, None, None, *nothing, None, None, None]


def _which(record: Record) -> list[Cell]:
    """Which attempt the record is of, and how many there are."""
    return [record.attempt.number, record.attempt.of] if record.attempt else [1, 1]


def _how(record: Record) -> list[Cell]:
    """What was graded, and what the course's policy changed."""
    if not record.is_adjusted:
        return [None, None, None]
    reasons = " ".join(f"{each.reason} ({change(each)})" for each in record.adjustments or ())
    return [record.points if record.complete else None, record.max_points, visible(reasons)]


def _by_exercise(
    graded: Graded, terms: ExportTerms, people: Mapping[str, Person], torn: Collection[str]
) -> Iterator[list[Cell]]:
    how = ["graded_points", "graded_max_points"] if graded.summary.is_adjusted else []
    yield [
        *_columns(graded),
        "exercise",
        "title",
        "status",
        "points",
        "max_points",
        *how,
        "checks_passed",
        "checks",
        "mistakes",
    ]
    for result in graded:
        if result.learner.name in torn:
            continue
        for exercise in result.record.exercises:
            yield [*_who(result.learner, people, graded), *_exercise(exercise, terms, is_adjusted=bool(how))]
    for learner, why in _without_points(graded, torn):
        nothing = (None for _ in how)
        yield [*_who(learner, people, graded), None, None, why, None, None, *nothing, None, None, None]


def _exercise(exercise: ExerciseResult, terms: ExportTerms, *, is_adjusted: bool) -> list[Cell]:
    return [
        exercise.id,
        terms.titles.get(exercise.id, exercise.id),
        f"{MARKS[exercise.status].word}{', does not count' if exercise.uncounted else ''}",
        exercise_mark(exercise),
        exercise.counted_max_points,
        *([exercise.points, exercise.max_points] if is_adjusted else []),
        sum(check.outcome == "passed" for check in exercise.checks),
        len(exercise.checks),
        " ".join(diagnosis.mistake for diagnosis in exercise.diagnosis),
    ]
