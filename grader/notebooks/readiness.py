"""Checks whether a unit can be graded at all, before nbgrader deletes earlier gradings."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry

from grader.course import Course
from grader.errors import KataError
from grader.render.wording import score

from .cells import exercise_tested, grade_id_of
from .rebuild import CourseStep, exercises_in, released_at


def course_of(autograde: Any) -> Course:
    """The course named in the settings. Raises KataError when it cannot be used."""
    return CourseStep(parent=autograde).opened()


def fault_of_unit(autograde: Any, course: Course, unit: str) -> str | None:
    """Why no notebook of this unit can be graded at present; None when they can."""
    coursedir = autograde.coursedir
    folder = Path(coursedir.format_path(coursedir.release_directory, ".", unit))
    try:
        for path in sorted(folder.glob("*.ipynb")) or [folder / f"{unit}.ipynb"]:
            released = released_at(path)
            exercises_in(released, course)
            if moved := list(_moved_points(autograde, course, unit, path.stem, released)):
                return _how_to_fix(autograde, course, unit, moved)
    except KataError as error:
        return str(error)
    return None


def _moved_points(autograde: Any, course: Course, unit: str, name: str, released: Any) -> Iterator[str]:
    """The exercises whose points differ between course, release and gradebook."""
    in_gradebook = _most_points(autograde.coursedir, unit, name)
    for cell in released.cells:
        if exercise := exercise_tested(cell, course):
            then = float(cell.metadata.nbgrader["points"])
            for most in (then, in_gradebook.get(grade_id_of(cell), then)):
                if most != exercise.points:
                    yield f"{exercise.id}: {score(most)} then, {score(exercise.points)} now"
                    break


def _most_points(coursedir: Any, unit: str, name: str) -> dict[str, float]:
    with Gradebook(coursedir.db_url, coursedir.course_id) as book:
        try:
            return {cell.name: float(cell.max_score) for cell in book.find_notebook(name, unit).grade_cells}
        except MissingEntry:  # nbgrader reports that itself
            return {}


def _how_to_fix(autograde: Any, course: Course, unit: str, moved: list[str]) -> str:
    root, course_root, name = (shlex.quote(str(each)) for each in (autograde.coursedir.root, course.root, unit))
    commands = (
        f"kata notebooks {root} --course {course_root} --force",
        f"nbgrader generate_assignment {name} --force",
        f"nbgrader autograde {name} --force",
    )
    return (
        f"Points were changed since this unit was released ({'; '.join(moved)}). Nothing was graded and no mark was "
        "touched. Type these, in this order:\n" + "\n".join(f"  {command}" for command in commands)
    )
