"""Writes a class's points into nbgrader's gradebook, as `nbgrader autograde` would have done.

Uses nbgrader's own API (`nbgrader.api.Gradebook`, needs the extra `instructor`). An exercise is the test cell of the
assignment in which it was released; if it was not, its unit is an assignment with one notebook of its name. Manual
grades stay. Where the grader itself failed, the cell has no score and needs a person: nbgrader shows "needs manual
grading".
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, InvalidEntry, MissingEntry
from sqlalchemy.exc import SQLAlchemyError

from grader.classroom.roster import Learner
from grader.course import Course, Exercise
from grader.errors import KataError
from grader.formats.results_table import ResultsTable, mark_of, shown_name
from grader.record import POINTS_TOLERANCE, ExerciseResult, Record
from grader.render.wording import first_few

from . import prepare
from .cells import id_of_test
from .course_folder import SETTINGS

FILE = "gradebook.db"


def gradebook_at(path: Path) -> Path:
    """The gradebook of a course folder, or the file itself. Raises KataError when it is neither."""
    if path.is_dir() and (path / SETTINGS).is_file():
        return path / FILE
    if path.is_file() and path.suffix == ".db":
        return path
    raise KataError(f"{path} is no course folder of nbgrader ({SETTINGS} is not in it) and no {FILE}.")


def write_gradebook(table: ResultsTable, path: Path, *, force: bool = False) -> str:
    """Write everybody's points into the gradebook at `path`, and say how many.

    Whom the roster lacks is left out: their name may be another person's id. A unit for which a learner handed in
    nothing gets no submission. Nothing is written if an existing score would change, unless `force`; nor if the
    released points of an exercise differ from the course's. Raises KataError for these, and when the gradebook cannot
    be used.
    """
    prepare()
    try:
        with Gradebook(f"sqlite:///{path.absolute()}") as book:
            writer = _Writer(book, table.options.course)
            for learner, record in () if force else _known(table):
                writer.refuse_changes(learner.id, record)
            scores = [writer.enter(learner, record) for learner, record in _known(table)]
    except (InvalidEntry, SQLAlchemyError) as error:
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise KataError(f"The gradebook {path} cannot be written: {reason}.") from None
    if unlisted := sorted(each.id for each in table.learners if each.id not in table.people):
        table.options.say(f"Left out, since the roster does not list them: {', '.join(unlisted)}.")
    if uncounted := [row.learner.name for row in table.rows() if any(part.uncounted for part in row.record.exercises)]:
        table.options.say(
            "nbgrader excuses nobody from an exercise or a unit, so its sums count all that was graded of "
            f"{first_few(uncounted)}: take their marks from --format csv."
        )
    return f"{sum(scores)} scores of {len(scores)} learners are in {path}"


def _known(table: ResultsTable) -> Iterator[tuple[Learner, Record]]:
    """Everybody in the roster, if there is one."""
    return ((row.learner, row.record) for row in table.rows() if row.learner.id in table.people)


class _Writer:
    """Writes a course's points into an open gradebook."""

    def __init__(self, book: Any, course: Course) -> None:
        """Raises KataError when an exercise was released with other points than it has now."""
        self._book, self._course = book, course
        cells = {cell.name: cell for each in book.assignments for nb in each.notebooks for cell in nb.grade_cells}
        self._places: dict[str, tuple[str, str]] = {}
        """The assignment and the notebook that hold each exercise, if it was released."""
        for exercise in course.exercises:
            if cell := cells.get(id_of_test(exercise)):
                self._places[exercise.id] = (cell.notebook.assignment.name, cell.notebook.name)
                if abs(cell.max_score - exercise.points) > POINTS_TOLERANCE:
                    raise KataError(
                        f"In the gradebook {exercise.id} is worth {cell.max_score:g} points, in the course "
                        f"{exercise.points:g}: release the unit anew with nbgrader generate_assignment --force."
                    )

    def refuse_changes(self, learner: str, record: Record) -> None:
        """Raise KataError when the learner already has another automatic score."""
        for exercise, result in self._handed_in(record):
            points, before = _score_of(result), getattr(self._grade(exercise, learner), "auto_score", None)
            if before is not None and (points is None or abs(before - points) > POINTS_TOLERANCE):
                raise KataError(
                    f"{learner} has {before:g} points for {exercise.id} in the gradebook already. "
                    "With --force scores are written anew."
                )

    def enter(self, person: Learner, record: Record) -> int:
        """Write the learner and all scores, with what was not released of their units; returns how many scores."""
        there, learner = list(self._handed_in(record)), person.id
        self._book.update_or_create_student(learner, **_names_of(person))
        units = {exercise.unit for exercise, _ in there}
        for exercise in self._course.exercises:
            if (unit := exercise.unit) in units and exercise.id not in self._places:
                self._places[exercise.id] = unit, unit
                self._book.update_or_create_assignment(unit)
                self._book.update_or_create_notebook(unit, unit)
                self._book.add_grade_cell(id_of_test(exercise), unit, unit, max_score=exercise.points, cell_type="code")
        for assignment in {self._places[exercise.id][0] for exercise, _ in there}:
            self._book.update_or_create_submission(assignment, learner)
        for exercise, result in there:
            if (grade := self._grade(exercise, learner)) is None:  # the submission is older than the cell
                raise KataError(
                    f"The gradebook has a submission of {self._places[exercise.id][0]} by {learner} without a place "
                    f"for {exercise.id}: run nbgrader autograde for it, or remove it there."
                )
            grade.auto_score = _score_of(result)
            grade.needs_manual_grade = grade.auto_score is None and grade.manual_score is None
        self._book.db.commit()
        return len(there)

    def _handed_in(self, record: Record) -> Iterator[tuple[Exercise, ExerciseResult]]:
        """The results in units of which something was handed in."""
        by_id = {result.id: result for result in record.exercises}
        for unit in self._course.units:
            there = [(exercise, by_id[exercise.id]) for exercise in unit.exercises if exercise.id in by_id]
            if any(result.status != "missing" for _, result in there):
                yield from there

    def _grade(self, exercise: Exercise, learner: str) -> Any | None:
        """The learner's place in the gradebook for an exercise; None where there is none yet."""
        with suppress(MissingEntry, KeyError):
            assignment, notebook = self._places[exercise.id]
            return self._book.find_grade(id_of_test(exercise), notebook, assignment, learner)
        return None


def _score_of(result: ExerciseResult) -> float | None:
    """What the gradebook is told. It excuses nobody from a cell, so what does not count stands there as graded."""
    return result.points if result.uncounted and result.status != "error" else mark_of(result)


def _names_of(person: Learner) -> dict[str, str]:
    """The fields of nbgrader's Student that the roster fills."""
    name, first, last = shown_name(person), person.first, person.last
    if not (first and last):
        family, _, given = map(str.strip, name.partition(","))
        first, last = (given, family) if given else (name.rpartition(" ")[0], name.rpartition(" ")[2])
    names = {"email": person.email}
    if name != person.id:
        names |= {"first_name": first, "last_name": last}
    return {field: text for field, text in names.items() if text}
