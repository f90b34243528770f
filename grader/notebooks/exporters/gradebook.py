"""Reads nbgrader's gradebook and folders, and distinguishes missing marks from zeros.

nbgrader's own sums cannot be used for that: they count a missing mark as 0.

Also the base class of our exporters: whom and what to export, and writing the file.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import Enum
from glob import escape as escape_glob
from glob import glob
from pathlib import Path
from typing import Any, NoReturn

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin
from nbgrader.utils import parse_utc

from grader.formats.marks import FormatError, PlatformLearner
from grader.intake.names import first_few
from grader.notebooks.cells import asked_in
from grader.render.wording import counted
from grader.writing import write_output


class State(str, Enum):
    """How far a mark is; only `GRADED` has points."""

    GRADED = "graded"
    NOT_HANDED_IN = "not handed in"
    NOT_AUTOGRADED = "not autograded"
    BY_HAND = "waits for a person"


@dataclass(frozen=True)
class Mark:
    """A learner's mark for one unit, in points. There is none before it is `GRADED`."""

    state: State
    raw: float | None = None
    late: float | None = None
    """Points taken off for lateness."""

    @property
    def points(self) -> float | None:
        """The remaining points, at least 0."""
        return None if self.raw is None else max(0.0, self.raw - (self.late or 0.0))


@dataclass(frozen=True)
class CellMark:
    """A learner's mark for one graded cell; None for missing values."""

    state: State
    auto: float | None = None
    manual: float | None = None
    extra: float | None = None
    needs_manual: bool = False
    """Whether nbgrader waits for a person to mark, or to check again after another autograding."""

    @property
    def points(self) -> float | None:
        """The mark as nbgrader counts it, once no person has to look at it."""
        given = self.auto if self.manual is None else self.manual
        return None if self.state is not State.GRADED or given is None else given + (self.extra or 0.0)


@dataclass(frozen=True)
class Cell:
    """A graded cell of a unit's notebooks."""

    notebook: str
    name: str
    max_points: float
    by_hand: bool
    """Whether a person gives the points."""

    @property
    def exercise(self) -> str:
        """The exercise's id, or `reflection`."""
        return asked_in(self.name)


class Unit:
    """One nbgrader assignment, with all learners' marks."""

    def __init__(self, gradebook: Gradebook, name: str, coursedir: Any) -> None:
        self.name = name
        self._gradebook = gradebook
        self.handed_in = _handed_in(coursedir, name)
        self._coursedir = coursedir
        notebooks = gradebook.find_assignment(name).notebooks
        cells = [cell for notebook in notebooks for cell in _graded_cells(notebook)]
        self.cells = sorted(cells, key=lambda cell: (cell.notebook, cell.name))
        self.max_points = sum((cell.max_points for cell in self.cells), 0.0)

    def mark(self, learner: str) -> Mark:
        """A learner's mark for the whole unit."""
        marks = self.cell_marks(learner)
        for state in (State.NOT_HANDED_IN, State.NOT_AUTOGRADED, State.BY_HAND):
            if any(mark.state is state for mark in marks):
                return Mark(state)
        submission = self._submission(learner)
        if submission is None:  # a unit without graded cells
            return Mark(State.NOT_HANDED_IN)
        raw = sum((mark.points or 0.0 for mark in marks), 0.0)
        return Mark(State.GRADED, raw, submission.late_submission_penalty or 0.0)

    def cell_marks(self, learner: str) -> list[CellMark]:
        """A learner's marks, in the order of `cells`."""
        submission = self._submission(learner)
        if learner in self.handed_in and not self._autograded(learner, submission):
            return [CellMark(State.NOT_AUTOGRADED)] * len(self.cells)
        if submission is None:
            return [CellMark(State.NOT_HANDED_IN)] * len(self.cells)
        grades = {(notebook.name, grade.name): grade for notebook in submission.notebooks for grade in notebook.grades}
        return [_cell_mark(cell, grades.get((cell.notebook, cell.name))) for cell in self.cells]

    def _autograded(self, learner: str, submission: Any) -> bool:
        """Whether there is a grading of the latest submission; decided as formgrader does."""
        coursedir = self._coursedir
        autograded, submitted = (
            Path(coursedir.format_path(step, learner, self.name))
            for step in (coursedir.autograded_directory, coursedir.submitted_directory)
        )
        return submission is not None and autograded.is_dir() and _timestamp(submitted) == submission.timestamp

    def _submission(self, learner: str) -> Any:
        try:
            return self._gradebook.find_submission(self.name, learner)
        except MissingEntry:
            return None


def _handed_in(coursedir: Any, unit: str) -> set[str]:
    """The ids of learners with a folder in `submitted`."""
    place = coursedir.submitted_directory
    pattern = re.compile(coursedir.format_path(place, "(?P<student>[^/]+)", re.escape(unit), escape=True))
    folders = glob(coursedir.format_path(place, "*", escape_glob(unit)))
    return {found["student"] for each in folders if (found := pattern.fullmatch(each)) and Path(each).is_dir()}


def _timestamp(folder: Path) -> Any:
    """The time of handing in as nbgrader recorded it; None if there is none, or it cannot be parsed."""
    try:
        return parse_utc((folder / "timestamp.txt").read_text("utf-8").strip() or None)
    except Exception:  # the date parser lets any internal error through
        return None


def _graded_cells(notebook: Any) -> Iterator[Cell]:
    answers = {cell.name for cell in notebook.solution_cells}
    for cell in notebook.grade_cells:  # a cell that is both graded and an answer needs a person
        yield Cell(notebook.name, cell.name, cell.max_score, cell.name in answers)
    for cell in notebook.task_cells:
        yield Cell(notebook.name, cell.name, cell.max_score, True)


def _cell_mark(cell: Cell, grade: Any) -> CellMark:
    if grade is None:  # the cell is newer than the grading
        return CellMark(State.NOT_AUTOGRADED)
    given = grade.auto_score, grade.manual_score, grade.extra_credit
    if grade.auto_score is None and grade.manual_score is None and not (cell.by_hand and grade.needs_manual_grade):
        return CellMark(State.NOT_AUTOGRADED)
    # nbgrader sets the flag for valid marks too, if an autograding followed a manual grade
    state = State.BY_HAND if grade.needs_manual_grade else State.GRADED
    return CellMark(state, *given, needs_manual=grade.needs_manual_grade)


class UnknownNameError(Exception):
    """The gradebook does not know the assignment or student asked for; the text is one sentence."""


def units_of(gradebook: Gradebook, coursedir: Any, only: Collection[str]) -> list[Unit]:
    """The assignments in nbgrader's order (due date, then name), limited to these names if there are any.

    Raises UnknownNameError.
    """
    names = [assignment.name for assignment in gradebook.assignments]
    return [Unit(gradebook, name, coursedir) for name in _chosen(names, only, "assignment")]


def learners_of(gradebook: Gradebook, units: Collection[Unit], only: Collection[str]) -> list[PlatformLearner]:
    """All learners in the gradebook, and those who handed in but are not in it yet; sorted by name, then id.

    Raises UnknownNameError.
    """
    found = {learner.id: learner for learner in _in_gradebook(gradebook)}
    for id in set().union(*(unit.handed_in for unit in units)):
        found.setdefault(id, PlatformLearner(id))
    order = sorted(found.values(), key=lambda learner: (learner.last_name, learner.first_name, learner.id))
    return [found[id] for id in _chosen([learner.id for learner in order], only, "student")]


def _in_gradebook(gradebook: Gradebook) -> Iterator[PlatformLearner]:
    for student in gradebook.students:
        yield PlatformLearner(
            student.id,
            student.first_name or "",
            student.last_name or "",
            student.email or "",
            student.lms_user_id or "",
        )


def _chosen(names: list[str], only: Collection[str], what: str) -> list[str]:
    if unknown := sorted(set(only) - set(names)):
        raise UnknownNameError(f"There is no {what} called {unknown[0]!r} in the gradebook.")
    return [name for name in names if not only or name in only]


MOST_NAMED = 20
"""Limit for naming learners whose marks are missing; the rest are counted."""

_WAY_OUT: dict[State, Callable[[Unit], str]] = {
    State.BY_HAND: lambda unit: "A person has to mark them first: formgrader, Manual Grading.",
    State.NOT_AUTOGRADED: lambda unit: f"What was handed in last is not graded: nbgrader autograde {unit.name}",
}


class TextExporter(ExportPlugin):
    """Writes one text file, UTF-8, whole or not at all."""

    default_name = "grades.csv"

    def export(self, gradebook: Any) -> None:
        """Write the file to nbgrader's `--to`; an error ends the command with a sentence."""
        path = Path(self.to or self.default_name)
        try:
            units = units_of(gradebook, self.parent.coursedir, {str(name) for name in self.assignment})
            learners = learners_of(gradebook, units, {str(id) for id in self.student})
            write_output(path, self.text(learners, units).encode("utf-8"))
        except (UnknownNameError, FormatError) as error:
            self._fail(str(error))
        except OSError as error:
            self._fail(f"{path} cannot be written: {error.strerror}.")
        self.log.info("Wrote %s", path)
        for unit in units:
            states = {learner.id: unit.mark(learner.id).state for learner in learners}
            for state in _WAY_OUT:
                self._tell_of_missing(unit, state, [id for id, its in states.items() if its is state])

    def _tell_of_missing(self, unit: Unit, state: State, ids: list[str]) -> None:
        """Name the learners who handed in but have no mark: an empty field in the file is easily overlooked."""
        if not ids:
            return
        named = first_few(ids, MOST_NAMED)
        self.log.warning(
            "%s: no mark yet for %s: %s. %s", unit.name, counted(len(ids), "learner"), named, _WAY_OUT[state](unit)
        )

    def text(self, learners: list[PlatformLearner], units: list[Unit]) -> str:
        """The file's text. Raises FormatError when it cannot be made."""
        raise NotImplementedError

    def _fail(self, sentence: str) -> NoReturn:
        self.log.error(sentence)
        sys.exit(1)
