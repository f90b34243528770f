"""What was released: an assignment's notebooks with their exercises, and a learner's answers put into them.

A learner's notebook itself does not count: only the sources in it do. So no cell can be missing, doubled or of another
kind, and problems are reported to this learner in a sentence, beside the exercise.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import timezone
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.api import Gradebook, MissingEntry

from grader.classroom.final_points import due_dates
from grader.course import Course, CourseError, Exercise
from grader.errors import KataError
from grader.intake import Submission
from grader.intake.notebook import NOTEBOOK_MB
from grader.intake.submission import UnreadableError
from grader.intake.walk import read_regular
from grader.record import ExerciseResult, Record
from grader.render.wording import score

from .cells import REFLECTION, exercise_tested, grade_id_of, inert, is_answer, is_manual, is_test, outputs_of

SEVERAL = "\n\n---\n\n"
"""Separator between the texts of several cells for the same question."""


@dataclass(frozen=True)
class Release:
    """An assignment as learners got it: its notebooks by name, and all their exercises."""

    name: str
    notebooks: Mapping[str, Any]
    exercises: tuple[Exercise, ...]


def release_of(coursedir: Any, name: str, course: Course) -> Release:
    """The released assignment.

    coursedir: nbgrader's CourseDirectory.
    Raises KataError when it cannot be graded: it is not there, or the course or the gradebook differ from it.
    """
    folder = Path(coursedir.format_path(coursedir.release_directory, ".", name))
    notebooks = {path.stem: _read(path) for path in sorted(folder.glob("*.ipynb")) or [folder / f"{name}.ipynb"]}
    cells = [cell for nb in notebooks.values() for cell in nb.cells]
    try:
        tested = [(exercise, cell) for cell in cells if (exercise := exercise_tested(cell, course))]
    except CourseError as error:
        raise KataError(f"The notebook and the course differ: {error}. Make and release it anew.") from None
    if strange := [grade_id_of(cell) for cell in cells if is_test(cell) and exercise_tested(cell, course) is None]:
        raise KataError(f"These test cells are of no exercise, so there are no checks for them: {', '.join(strange)}.")
    released = Release(name, notebooks, tuple({each.id: each for each, _ in tested}.values()))
    moved = [
        f"{exercise.id}: {score(then)} then, {score(exercise.points)} now"
        for exercise, cell in tested
        if (then := float(cell.metadata.nbgrader["points"])) != exercise.points
    ]
    if moved:
        has_reflection = any(grade_id_of(cell) == REFLECTION for cell in cells)
        raise KataError(_how_to_fix(coursedir, released, course, moved, has_reflection=has_reflection))
    return released


def _read(path: Path) -> Any:
    try:
        return nbformat.read(path, as_version=4)
    except OSError as error:
        raise KataError(
            f"There is no released notebook {path} ({error.strerror}); run `nbgrader generate_assignment` first."
        ) from None
    except Exception as error:  # nbformat lets internal errors through
        raise KataError(f"{path} cannot be read ({type(error).__name__}: {error}); release it anew.") from None


def _how_to_fix(coursedir: Any, released: Release, course: Course, moved: list[str], *, has_reflection: bool) -> str:
    options = [f"--course {shlex.quote(str(course.root))}", f"--name {released.name}"]
    options += [f"--only {each.id}" for each in released.exercises] + ["--reflection"] * has_reflection
    name = shlex.quote(released.name)
    return (
        f"Points were changed since this assignment was released ({'; '.join(moved)}). Nothing was graded and no mark "
        "was touched. Type these, in this order:\n"
        f"  kata notebooks {shlex.quote(str(coursedir.root))} {' '.join(options)}\n"
        f"  nbgrader generate_assignment {name} --force\n"
        f"  nbgrader autograde {name} --force"
    )


def set_due_date(coursedir: Any, release: Release, course: Course) -> None:
    """Write an assignment's due date into the gradebook, the earliest of its units'; nothing if course.yml gives none.

    nbgrader takes due dates from there.
    """
    known = due_dates(course)
    if not (due := [known[each.unit] for each in release.exercises if each.unit in known]):
        return
    with Gradebook(coursedir.db_url, coursedir.course_id) as book:
        try:
            # the gradebook holds naive times in UTC
            book.find_assignment(release.name).duedate = min(due).astimezone(timezone.utc).replace(tzinfo=None)
        except MissingEntry:  # nbgrader reports that itself
            return
        book.db.commit()


def rebuilt(released: Any, submission: Submission, record: Record, texts: dict[str, str], course: Course) -> Any:
    """The released notebook with a submission's sources in its answer cells, and their results below its test cells.

    texts: text for a person to read, by the grade_id of its cell.
    """
    nb = deepcopy(released)
    results = {result.id: result for result in record.exercises}
    for cell in nb.cells:
        if is_answer(cell) and (source := submission.sources.get(grade_id_of(cell))):
            cell.source = source.content.decode("utf-8").rstrip("\n")
        elif is_manual(cell) and (text := texts.get(grade_id_of(cell), "")).strip():
            # unchanged text must stay the same to the byte: the gradebook recognises by it that there is no answer
            cell.source = cell.source if text.strip() == cell.source.strip() else inert(text)
        elif exercise := exercise_tested(cell, course):
            result = results[exercise.id]
            problems = _problems(submission, result)
            cell.outputs = outputs_of(result, exercise.title, exercise.points, problems, record.seed)
    return nb


def _problems(submission: Submission, result: ExerciseResult) -> list[str]:
    """Problems to show with an exercise; those without an exercise may be the reason for a missing answer."""
    return [
        each.message
        for each in submission.problems
        if each.exercise == result.id or (each.exercise is None and result.status == "missing")
    ]


def texts_for_people(path: Path) -> dict[str, str]:
    """The text of a notebook's named cells, by name; empty when it can't be read."""
    found: dict[str, dict[str, None]] = {}
    for name, text in _named_texts(path):
        found.setdefault(name, {})[text] = None
    return {name: SEVERAL.join(texts) for name, texts in found.items()}


def _named_texts(path: Path) -> Iterator[tuple[str, str]]:
    limit = NOTEBOOK_MB * 1024 * 1024
    try:
        content = read_regular(path, limit)
        notebook = json.loads(content) if len(content) <= limit else {}
    except (UnreadableError, ValueError, RecursionError):
        return  # the intake has reported what is wrong
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    for cell in cells if isinstance(cells, list) else []:
        if not isinstance(cell, dict) or not (name := grade_id_of(cell)):
            continue
        source = cell.get("source")
        parts = source if isinstance(source, list) else [source]
        text = "".join(part for part in parts if isinstance(part, str))
        # JSON can contain a lone surrogate, a file cannot
        yield name, text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
