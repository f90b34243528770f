"""How the chosen exercises are spread over notebooks, and what a notebook holds: answers and tests, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

from grader.course import Course, Exercise

Layout = Literal["unit", "exercise", "one"]
Checks = Literal["same", "none"]
"""What a test cell does: the course's own checks, or nothing at all, which no test can be quicker than."""

_METADATA = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


@dataclass(frozen=True)
class Sheet:
    """One notebook of an assignment."""

    name: str
    exercises: tuple[Exercise, ...]


def sheets_of(course: Course, exercises: Sequence[Exercise], layout: Layout) -> list[Sheet]:
    """The notebooks of a layout."""
    if layout == "one":
        return [Sheet("homework", tuple(exercises))]
    if layout == "exercise":
        return [Sheet(exercise.id, (exercise,)) for exercise in exercises]
    chosen = {exercise.id for exercise in exercises}
    units = [(unit.folder, tuple(e for e in unit.exercises if e.id in chosen)) for unit in course.units]
    return [Sheet(name, kept) for name, kept in units if kept]


def check_source(exercise: str, names: str, checks: Checks) -> str:
    """The code of a test. `names` is an expression for the kernel's globals."""
    return f'import bare\nbare.check_cell("{exercise}", {names})' if checks == "same" else "pass"


def code(source: str, id: str, **metadata: Any) -> Any:
    """A code cell."""
    return new_code_cell(source, id=id[:64], metadata=metadata)


def write_notebook(path: Path, cells: Iterable[Any]) -> None:
    """Write a notebook, and the folder around it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=list(cells), metadata=_METADATA), path)


def fill_in(
    source: Path, target: Path, answers: Mapping[str, str], edit: Callable[[list[Any]], None] = lambda cells: None
) -> None:
    """Write a copy of a released notebook in which the answers' cells, named by exercise, hold these sources.

    `edit` changes the list of cells in place after that.
    """
    notebook = nbformat.read(source, as_version=4)
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        cell.source = answers.get(name, cell.source)
    edit(notebook.cells)
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, target)
