"""Writes a class's points into nbgrader's gradebook, as `nbgrader autograde` would have done.

Uses nbgrader's own API (`nbgrader.api.Gradebook`, needs the extra `instructor`): a unit is an assignment with one
notebook of its name, an exercise the test cell of that notebook. Manual grades stay. Where the grader itself failed,
the cell has no score and needs a person: nbgrader shows "needs manual grading".
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, InvalidEntry, MissingEntry
from sqlalchemy.exc import SAWarning, SQLAlchemyError

from grader.classroom.results_file import Result
from grader.course import Course, Exercise, Unit
from grader.formats.graded import Graded
from grader.formats.marks import ExportError, exercise_mark
from grader.formats.roster import Person, Roster, people_of
from grader.notebooks.cells import id_of_test
from grader.record import POINTS_TOLERANCE, ExerciseResult

FILE = "gradebook.db"
SETTINGS = "nbgrader_config.py"


@dataclass(frozen=True)
class Written:
    """What was written; submissions not on the roster are left out: their name may be another person's id."""

    learners: int
    scores: int
    left_out: tuple[str, ...] = ()


def gradebook_at(path: Path) -> Path:
    """The gradebook of a course folder, or the file itself. Raises ExportError when it is neither."""
    if path.is_dir() and (path / SETTINGS).is_file():
        return path / FILE
    if path.is_file() and path.suffix == ".db":
        return path
    raise ExportError(f"{path} is no course folder of nbgrader ({SETTINGS} is not in it) and no {FILE}.")


def write_gradebook(
    graded: Graded, course: Course, path: Path, roster: Roster | None = None, *, force: bool = False
) -> Written:
    """Write every learner's points into the gradebook at `path`.

    A unit for which a learner handed in nothing gets no submission. Nothing is written if an existing score would
    change, unless `force`; nor if the released points of an exercise differ from the course's. Raises ExportError for
    these, and when the gradebook cannot be used.
    """
    everybody = people_of(graded.summary.learners, roster)
    people = everybody.of
    try:
        with _open(path) as book:
            unlisted = {each.name for each in graded.summary.learners} - people.keys() - everybody.none
            writer = _Writer(book, course, everybody.none | unlisted, tuple(sorted(unlisted)))
            writer.refuse_other_points()
            if not force:
                writer.refuse_changes(graded, people)
            return writer.write(graded, people)
    except (InvalidEntry, SQLAlchemyError) as error:
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise ExportError(f"The gradebook {path} cannot be written: {reason}.") from None


@contextmanager
def _open(path: Path) -> Iterator[Any]:
    before = os.environ.get("PATH", os.defpath)
    # nbgrader runs alembic by its bare name, which is beside this Python even if no environment is activated
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), before])
    try:
        with warnings.catch_warnings(), Gradebook(f"sqlite:///{path.absolute()}") as book:
            warnings.simplefilter("ignore", SAWarning)  # caused by nbgrader's own models
            yield book
    finally:
        os.environ["PATH"] = before


class _Writer:
    def __init__(self, book: Any, course: Course, nobody: Collection[str], unlisted: tuple[str, ...]) -> None:
        self._book, self._course = book, course
        self._nobody, self._unlisted = nobody, unlisted

    def refuse_other_points(self) -> None:
        """Raise ExportError when an exercise was released with other points than it has now."""
        for unit in self._course.units:
            for exercise in unit.exercises:
                cell = self._cell(unit, exercise)
                if cell is not None and abs(cell.max_score - exercise.points) > POINTS_TOLERANCE:
                    raise ExportError(
                        f"In the gradebook {exercise.id} is worth {cell.max_score:g} points, in the course "
                        f"{exercise.points:g}: release the unit anew with nbgrader generate_assignment --force."
                    )

    def refuse_changes(self, graded: Graded, people: Mapping[str, Person]) -> None:
        """Raise ExportError when a learner already has another automatic score."""
        for result in self._told_apart(graded):
            learner = _id_of(result.learner.name, people)
            for unit, exercises in self._units_of(result.record.exercises):
                for exercise in exercises:
                    grade = self._grade(unit, exercise.id, learner)
                    if grade is not None and grade.auto_score is not None and _differs(grade, exercise):
                        raise ExportError(
                            f"{learner} has {grade.auto_score:g} points for {exercise.id} in the gradebook already. "
                            "With --force scores are written anew."
                        )

    def write(self, graded: Graded, people: Mapping[str, Person]) -> Written:
        """Write everything, and return the counts."""
        learners = scores = 0
        for result in self._told_apart(graded):
            learners += 1
            learner = _id_of(result.learner.name, people)
            person = people.get(result.learner.name, Person(""))
            self._add_learner(learner, person)
            for unit, exercises in self._units_of(result.record.exercises):
                self._add_unit(unit)
                self._book.update_or_create_submission(unit.folder, learner)
                for exercise in exercises:
                    self._score(unit, exercise, learner)
                    scores += 1
                self._book.db.commit()
        return Written(learners, scores, self._unlisted)

    def _told_apart(self, graded: Graded) -> Iterator[Result]:
        return (result for result in graded if result.learner.name not in self._nobody)

    def _units_of(self, results: tuple[ExerciseResult, ...]) -> Iterator[tuple[Unit, list[ExerciseResult]]]:
        """The units for which something was handed in, with the record's results."""
        by_id = {result.id: result for result in results}
        for unit in self._course.units:
            there = [by_id[exercise.id] for exercise in unit.exercises if exercise.id in by_id]
            if any(each.status != "missing" for each in there):
                yield unit, there

    def _add_learner(self, learner: str, person: Person) -> None:
        names = {"email": person.email} if person.email else {}
        if person.name and person.name != learner:
            first, last = person.parts
            if not first:
                first, _, last = person.name.rpartition(" ")
            names |= {"first_name": first, "last_name": last}
        self._book.update_or_create_student(learner, **names)

    def _add_unit(self, unit: Unit) -> None:
        """Add the unit as `nbgrader generate_assignment` does, if that has not been run."""
        name = unit.folder
        try:
            self._book.find_assignment(name)
        except MissingEntry:
            self._book.add_assignment(name)
        try:
            self._book.find_notebook(name, name)
        except MissingEntry:
            self._book.add_notebook(name, name)
        for exercise in unit.exercises:
            if self._cell(unit, exercise) is None:
                self._book.add_grade_cell(id_of_test(exercise), name, name, max_score=exercise.points, cell_type="code")

    def _cell(self, unit: Unit, exercise: Exercise) -> Any | None:
        try:
            return self._book.find_grade_cell(id_of_test(exercise), unit.folder, unit.folder)
        except MissingEntry:
            return None

    def _grade(self, unit: Unit, id: str, learner: str) -> Any | None:
        cell = id_of_test(self._course.exercise(id))
        try:
            return self._book.find_grade(cell, unit.folder, unit.folder, learner)
        except MissingEntry:
            return None

    def _score(self, unit: Unit, result: ExerciseResult, learner: str) -> None:
        grade = self._grade(unit, result.id, learner)
        if grade is None:  # the submission is older than the cell
            raise ExportError(
                f"The gradebook has a submission of {unit.folder} by {learner} without a place for {result.id}: "
                "run nbgrader autograde for it, or remove it there."
            )
        grade.auto_score = _score_of(result)
        grade.needs_manual_grade = grade.auto_score is None and grade.manual_score is None


def _id_of(submission: str, people: Mapping[str, Person]) -> str:
    """The learner's id in the gradebook: by the roster, if there is one, else the submission's name."""
    person = people.get(submission)
    return (person.login or person.sis_id or person.id or submission) if person else submission


def _score_of(result: ExerciseResult) -> float | None:
    """What the gradebook is told. It excuses nobody from a cell, so what does not count stands there as graded."""
    return result.points if result.uncounted and result.status != "error" else exercise_mark(result)


def _differs(grade: Any, result: ExerciseResult) -> bool:
    points = _score_of(result)
    return points is None or abs(grade.auto_score - points) > POINTS_TOLERANCE
