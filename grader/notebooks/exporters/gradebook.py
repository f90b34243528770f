"""What nbgrader's gradebook and folders know, with marks that are not there yet told apart from zeros.

nbgrader's own sums cannot be used for that: they count a mark that is missing as 0.

What our exporters share: whom and what to export, and the file that is written.
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
    """How far a mark is; there are points for `GRADED` only."""

    GRADED = "graded"
    NOT_HANDED_IN = "not handed in"
    NOT_AUTOGRADED = "not autograded"
    BY_HAND = "waits for a person"


@dataclass(frozen=True)
class Mark:
    """A learner's mark for one unit, in points. Before it is `GRADED` there is none."""

    state: State
    raw: float | None = None
    late: float | None = None
    """Taken off for lateness."""

    @property
    def points(self) -> float | None:
        """What is left of the points, at least 0."""
        return None if self.raw is None else max(0.0, self.raw - (self.late or 0.0))


@dataclass(frozen=True)
class CellMark:
    """A learner's mark for one graded cell; None where there is nothing yet."""

    state: State
    auto: float | None = None
    manual: float | None = None
    extra: float | None = None
    needs_manual: bool = False
    """Whether nbgrader waits for a person to mark, or to look again after another autograding."""

    @property
    def points(self) -> float | None:
        """The mark as nbgrader counts it, as soon as there is one that nobody has to look at."""
        given = self.auto if self.manual is None else self.manual
        return None if self.state is not State.GRADED or given is None else given + (self.extra or 0.0)


@dataclass(frozen=True)
class Cell:
    """Something in a unit's notebooks that points are given for."""

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
    """One assignment of nbgrader's, with everybody's marks."""

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
        if submission is None:  # a unit without a graded cell
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
        """Whether the grading is there and of what was handed in last; formgrader goes by the same signs."""
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
    """The ids of those with a folder in `submitted`."""
    place = coursedir.submitted_directory
    pattern = re.compile(coursedir.format_path(place, "(?P<student>[^/]+)", re.escape(unit), escape=True))
    folders = glob(coursedir.format_path(place, "*", escape_glob(unit)))
    return {found["student"] for each in folders if (found := pattern.fullmatch(each)) and Path(each).is_dir()}


def _timestamp(folder: Path) -> Any:
    """When that was handed in, as nbgrader wrote it down; None when it did not, or not in a way that it reads."""
    try:
        return parse_utc((folder / "timestamp.txt").read_text("utf-8").strip() or None)
    except Exception:  # the parser of dates lets through whatever goes wrong in it
        return None


def _graded_cells(notebook: Any) -> Iterator[Cell]:
    answers = {cell.name for cell in notebook.solution_cells}
    for cell in notebook.grade_cells:  # what is graded and an answer at once is for a person
        yield Cell(notebook.name, cell.name, cell.max_score, cell.name in answers)
    for cell in notebook.task_cells:
        yield Cell(notebook.name, cell.name, cell.max_score, True)


def _cell_mark(cell: Cell, grade: Any) -> CellMark:
    if grade is None:  # the cell is newer than the grading
        return CellMark(State.NOT_AUTOGRADED)
    given = grade.auto_score, grade.manual_score, grade.extra_credit
    if grade.auto_score is None and grade.manual_score is None and not (cell.by_hand and grade.needs_manual_grade):
        return CellMark(State.NOT_AUTOGRADED)
    # nbgrader sets the flag for good marks too, when a mark of a person's was followed by another autograding
    state = State.BY_HAND if grade.needs_manual_grade else State.GRADED
    return CellMark(state, *given, needs_manual=grade.needs_manual_grade)


class UnknownNameError(Exception):
    """Somebody or something was asked for that the gradebook does not know; the text is one sentence."""


def units_of(gradebook: Gradebook, coursedir: Any, only: Collection[str]) -> list[Unit]:
    """The assignments in nbgrader's order (due date, then name), of these names if there are any.

    Raises UnknownNameError.
    """
    names = [assignment.name for assignment in gradebook.assignments]
    return [Unit(gradebook, name, coursedir) for name in _chosen(names, only, "assignment")]


def learners_of(gradebook: Gradebook, units: Collection[Unit], only: Collection[str]) -> list[PlatformLearner]:
    """Everybody in the gradebook, and who handed in before the gradebook knew them; by name, then id.

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
"""Of the learners whose marks are missing; the rest are counted."""

_WAY_OUT: dict[State, Callable[[Unit], str]] = {
    State.BY_HAND: lambda unit: "A person has to mark them first: formgrader, Manual Grading.",
    State.NOT_AUTOGRADED: lambda unit: f"What was handed in last is not graded: nbgrader autograde {unit.name}",
}


class TextExporter(ExportPlugin):
    """Writes one text file, UTF-8, whole or not at all."""

    default_name = "grades.csv"

    def export(self, gradebook: Any) -> None:
        """Write the file, called as nbgrader's `--to` says; what cannot be done ends the command with a sentence."""
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
        """Say whose marks the file lacks although something was handed in: an empty field says that to nobody."""
        if not ids:
            return
        named = first_few(ids, MOST_NAMED)
        self.log.warning(
            "%s: no mark yet for %s: %s. %s", unit.name, counted(len(ids), "learner"), named, _WAY_OUT[state](unit)
        )

    def text(self, learners: list[PlatformLearner], units: list[Unit]) -> str:
        """The file's text. Raises FormatError when there can be none."""
        raise NotImplementedError

    def _fail(self, sentence: str) -> NoReturn:
        self.log.error(sentence)
        sys.exit(1)
