"""What is released: an assignment's notebooks with their exercises, and a learner's answers put into them.

A learner's notebook itself does not count: only the sources in it do. So no cell can be missing, doubled or of another
kind, and problems are reported to this learner in a sentence, beside the exercise.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable
from contextlib import suppress
from copy import deepcopy
from datetime import timezone
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import ClearSolutions

from grader.classroom.final_points import due_dates
from grader.course import Course, CourseError, Exercise
from grader.course.stubs import make_stub
from grader.errors import KataError
from grader.intake import Submission
from grader.intake.notebook import NOTEBOOK_MB
from grader.intake.submission import UnreadableError
from grader.intake.walk import MB, read_regular
from grader.record import Record
from grader.render.wording import score

from .cells import OURS, REFLECTION, exercise_tested, grade_id_of, inert, is_answer, is_manual, is_test, outputs_of

SEVERAL = "\n\n---\n\n"
"""Separator between the texts of several cells for the same question."""


class ClearToStub(ClearSolutions):
    """`generate_assignment`: clears solutions, except that an answer becomes the exercise's own stub."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Clear one notebook, and take out our notes on it. Raises CourseError when a region is malformed."""
        nb.metadata.pop(OURS, None)
        cleared: tuple[Any, Any] = super().preprocess(nb, resources)
        return cleared

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> tuple[Any, Any]:
        """Clear one cell. Raises CourseError when its regions are malformed: nothing is released then."""
        if is_answer(cell):
            cell.source = make_stub(cell.source).strip("\n")
            return cell, resources
        cleared: tuple[Any, Any] = super().preprocess_cell(cell, resources, cell_index)
        return cleared


def release_of(coursedir: Any, name: str, course: Course) -> tuple[dict[str, Any], list[Exercise]]:
    """A released assignment: its notebooks by name, and their exercises. Its due date is in the gradebook from then on.

    coursedir: nbgrader's CourseDirectory.
    Raises KataError when it cannot be graded: it is not there, or the course or the gradebook differ from it.
    """
    folder = Path(coursedir.format_path(coursedir.release_directory, ".", name))
    notebooks = {path.stem: _read(path) for path in sorted(folder.glob("*.ipynb")) or [folder / f"{name}.ipynb"]}
    cells = [cell for nb in notebooks.values() for cell in nb.cells]
    try:
        tested = [(exercise_tested(cell, course), cell) for cell in cells if is_test(cell)]
    except CourseError as error:
        raise KataError(f"The notebook and the course differ: {error}. Make and release it anew.") from None
    if strange := [grade_id_of(cell) for exercise, cell in tested if exercise is None]:
        raise KataError(f"These test cells are of no exercise, so there are no checks for them: {', '.join(strange)}.")
    exercises = {exercise.id: exercise for exercise, _ in tested if exercise}
    then = {exercise.id: float(cell.metadata.nbgrader["points"]) for exercise, cell in tested if exercise}
    if moved := [each for each in exercises.values() if then[each.id] != each.points]:
        changes = "; ".join(f"{each.id}: {score(then[each.id])} then, {score(each.points)} now" for each in moved)
        options = [f"--course {shlex.quote(str(course.root))}", f"--name {name}"]
        options += [f"--only {id}" for id in exercises]
        options += ["--reflection"] * any(grade_id_of(cell) == REFLECTION for cell in cells)
        raise KataError(
            f"Points were changed since this assignment was released ({changes}). Nothing was graded and no mark "
            "was touched. Type these, in this order:\n"
            f"  kata notebooks {shlex.quote(str(coursedir.root))} {' '.join(options)}\n"
            f"  nbgrader generate_assignment {shlex.quote(name)} --force\n"
            f"  nbgrader autograde {shlex.quote(name)} --force"
        )
    _set_due_date(coursedir, name, exercises.values(), course)
    return notebooks, list(exercises.values())


def _read(path: Path) -> Any:
    try:
        return nbformat.read(path, as_version=4)
    except OSError as error:
        raise KataError(
            f"There is no released notebook {path} ({error.strerror}); run `nbgrader generate_assignment` first."
        ) from None
    except Exception as error:  # nbformat lets internal errors through
        raise KataError(f"{path} cannot be read ({type(error).__name__}: {error}); release it anew.") from None


def _set_due_date(coursedir: Any, name: str, exercises: Iterable[Exercise], course: Course) -> None:
    """nbgrader takes due dates from the gradebook: the earliest of the assignment's units, if course.yml gives any."""
    known = due_dates(course)
    if due := [known[each.unit] for each in exercises if each.unit in known]:
        with Gradebook(coursedir.db_url, coursedir.course_id) as book, suppress(MissingEntry):  # nbgrader reports that
            # the gradebook holds naive times in UTC
            book.find_assignment(name).duedate = min(due).astimezone(timezone.utc).replace(tzinfo=None)
            book.db.commit()


def rebuilt(released: Any, submission: Submission, record: Record, texts: dict[str, str], course: Course) -> Any:
    """The released notebook with a submission's sources in its answer cells, and their results below its test cells.

    texts: text for a person to read, by the grade_id of its cell.
    """
    nb = deepcopy(released)
    results = {result.id: result for result in record.exercises}
    for cell in nb.cells:
        name = grade_id_of(cell)
        if is_answer(cell) and (source := submission.sources.get(name)):
            cell.source = source.content.decode("utf-8").rstrip("\n")
        elif is_manual(cell) and (text := texts.get(name, "")).strip():
            # unchanged text must stay the same to the byte: the gradebook recognises by it that there is no answer
            cell.source = cell.source if text.strip() == cell.source.strip() else inert(text)
        elif exercise := exercise_tested(cell, course):
            result = results[exercise.id]
            # a problem without an exercise may be the reason for a missing answer
            problems = [
                each.message
                for each in submission.problems
                if each.exercise == result.id or (each.exercise is None and result.status == "missing")
            ]
            cell.outputs = outputs_of(result, exercise.title, exercise.points, problems, record.seed)
    return nb


def texts_for_people(path: Path) -> dict[str, str]:
    """The text of a notebook's named cells, by name; empty when it can't be read: the intake reports that."""
    try:
        content = read_regular(path, NOTEBOOK_MB * MB)
        notebook = json.loads(content) if len(content) <= NOTEBOOK_MB * MB else {}
    except (UnreadableError, ValueError, RecursionError):
        return {}
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    found: dict[str, dict[str, None]] = {}
    for cell in cells if isinstance(cells, list) else []:
        if isinstance(cell, dict) and (name := grade_id_of(cell)):
            source = cell.get("source")
            parts = source if isinstance(source, list) else [source]
            text = "".join(part for part in parts if isinstance(part, str))
            # JSON can contain a lone surrogate, a file cannot
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            found.setdefault(name, {})[text] = None
    return {name: SEVERAL.join(texts) for name, texts in found.items()}
