"""What was released: an assignment's notebooks with their exercises, if the course and the gradebook still fit them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from grader.course import Course, CourseError, Exercise
from grader.errors import KataError
from grader.render.wording import score

from .cells import REFLECTION, exercise_tested, exercises_of, grade_id_of, is_test


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
    exercises = {each.id: each for nb in notebooks.values() for each in _exercises_in(nb, course)}
    released = Release(name, notebooks, tuple(exercises.values()))
    if moved := list(_moved_points(released, course)):
        raise KataError(_how_to_fix(coursedir, released, course, moved))
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


def _exercises_in(nb: Any, course: Course) -> list[Exercise]:
    """The exercises of a notebook; every automatically graded cell must belong to one. Raises KataError otherwise."""
    try:
        exercises = exercises_of(nb.cells, course)
    except CourseError as error:
        raise KataError(f"The notebook and the course differ: {error}. Make and release it anew.") from None
    if strange := [grade_id_of(cell) for cell in nb.cells if is_test(cell) and exercise_tested(cell, course) is None]:
        raise KataError(f"These test cells are of no exercise, so there are no checks for them: {', '.join(strange)}.")
    return exercises


def _moved_points(released: Release, course: Course) -> Iterator[str]:
    """The exercises whose points differ between release, which is as the gradebook, and course."""
    for nb in released.notebooks.values():
        for cell in nb.cells:
            exercise = exercise_tested(cell, course)
            if exercise and (then := float(cell.metadata.nbgrader["points"])) != exercise.points:
                yield f"{exercise.id}: {score(then)} then, {score(exercise.points)} now"


def _how_to_fix(coursedir: Any, released: Release, course: Course, moved: list[str]) -> str:
    cells = [cell for nb in released.notebooks.values() for cell in nb.cells]
    options = [f"--course {shlex.quote(str(course.root))}", f"--name {released.name}"]
    options += [f"--only {each.id}" for each in released.exercises]
    options += ["--reflection"] if any(grade_id_of(cell) == REFLECTION for cell in cells) else []
    commands = (
        f"kata notebooks {shlex.quote(str(coursedir.root))} {' '.join(options)}",
        f"nbgrader generate_assignment {shlex.quote(released.name)} --force",
        f"nbgrader autograde {shlex.quote(released.name)} --force",
    )
    return (
        f"Points were changed since this assignment was released ({'; '.join(moved)}). Nothing was graded and no mark "
        "was touched. Type these, in this order:\n" + "\n".join(f"  {command}" for command in commands)
    )
