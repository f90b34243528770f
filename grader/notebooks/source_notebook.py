"""Makes an assignment's source notebook: lesson, answers with solutions, examples, test cells, perhaps a reflection.

It notes digests of its cells, so that a notebook that somebody has edited is known.
"""

from __future__ import annotations

import ast
import base64
import doctest
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grader.course import Course, CourseError, Exercise, Unit
from grader.course.stubs import make_stub
from grader.render.wording import counted, score

from .cells import OURS, REFLECTION, id_of_test, marks

_SECTION = re.compile(r"^(?=## +([0-9]{1,2})\b)", re.MULTILINE)
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_LINK_INTO_THE_COURSE = re.compile(r"(?<!!)\[([^\]]+)\]\((?![a-z]+:|#)[^)\s]+\)")
_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}


def read_lesson(course: Course, unit: Unit) -> tuple[str, dict[int, str]]:
    """A unit's lesson: the text before the first section, and each section by its exercise's number.

    Raises CourseError when it or one of its pictures cannot be read.
    """
    path = course.lesson_path(unit)
    try:
        opening, *parts = _SECTION.split(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CourseError(f"the lesson {path} cannot be read ({error.strerror})") from None
    sections = zip(map(int, parts[::2]), parts[1::2], strict=True)
    numbered = {number: _with_pictures(section, path.parent) for number, section in sections}
    return _with_pictures(opening, path.parent), numbered


def _with_pictures(text: str, folder: Path) -> str:
    """The text with its pictures as data URLs at its end: JupyterLab shows no attached SVG, and a link would break."""
    names: dict[str, str] = {}
    text = text.strip("\n")

    def take(found: re.Match[str]) -> str:
        if (kind := _TYPES.get(Path(found[2]).suffix)) is None or "://" in found[2]:
            return found[0]
        try:
            content = (folder / found[2]).read_bytes()
        except OSError as error:
            raise CourseError(f"the picture {folder / found[2]} cannot be read ({error.strerror})") from None
        name = Path(found[2]).stem
        names[name] = f"[{name}]: data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
        return f"![{found[1]}][{name}]"

    # relative links do not work from the notebook's folder
    text = _LINK_INTO_THE_COURSE.sub(r"\1", _PICTURE.sub(take, text))
    return "\n\n".join([text, *names.values()]) if names else text


REFLECTION_POINTS = 2.0
"""Points for the reflection, given by a person."""

YOUR_ANSWER = "YOUR ANSWER HERE"  # as nbgrader releases it

NOT_INSTALLED = "The checks are not installed where this notebook runs. You can hand in without them."
FROM_WHEEL = ("To have them here, type this in a cell of your own, then restart the kernel:", "%pip install {wheel}")
FROM_INSTRUCTOR = (
    "To have them here, ask your instructor for the file to install. It is in no package index:",
    "whatever bears that name there is something else.",
)

NOT_VALIDATED = "Not checked: the checks are not installed where this notebook runs. It can be handed in all the same."

_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


@dataclass(frozen=True)
class Assignment:
    """What one source notebook holds; `name` is that of the notebook and of nbgrader's assignment."""

    name: str
    title: str
    exercises: tuple[Exercise, ...]
    has_reflection: bool = False


def source_notebook(course: Course, assignment: Assignment, wheel: str = "") -> str:
    """The text of an assignment's source notebook; the same course gives the same text.

    wheel: the file or URL that learners install the checks from; "" when the instructor names none.
    Raises CourseError when a file of the course cannot be used.
    """
    cells = [_text("header", _header(course, assignment))]
    for unit in course.units:
        if chosen := [each for each in unit.exercises if each in assignment.exercises]:
            opening, sections = read_lesson(course, unit)
            cells.append(_text(f"{unit.folder[:2]}-unit", opening))
            for exercise in chosen:
                cells += _cells_of(course, exercise, sections.get(exercise.number, ""), wheel)
    if assignment.has_reflection:
        cells.append(_text("reflection-question", _question(assignment.title)))
        cells.append(
            _text(REFLECTION, YOUR_ANSWER, marks(REFLECTION, grade=True, solution=True, points=REFLECTION_POINTS))
        )
    cells = [cell for cell in cells if cell["source"]]
    notebook = new_notebook(cells=cells, metadata={**_METADATA, OURS: {"written": digests(cells)}})
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook, version=4)) + "\n"


def _cells_of(course: Course, exercise: Exercise, section: str, wheel: str) -> Iterator[Any]:
    number = f"{exercise.number:02d}"
    solution = course.solution_path(exercise).read_text(encoding="utf-8")
    yield _text(f"{number}-lesson", section)
    yield _text(f"{number}-task", _task(exercise))
    yield _code(f"{number}-answer", _answer(course, exercise, solution), marks(exercise.id, solution=True))
    for count, example in enumerate(_examples(solution), start=1):
        yield _code(f"{number}-example-{count}", example)
    yield _code(f"{number}-check", _check(exercise, wheel), marks(f"check-{exercise.id}", locked=True))
    given = marks(id_of_test(exercise), grade=True, locked=True, points=exercise.points)
    test = _code(f"{number}-test", _test(exercise), given)
    test["metadata"][OURS] = {"title": exercise.title}
    yield test


def digests(cells: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """A digest of each cell by its id, over what nbgrader and learners get of it; outputs are not part of it."""
    return {
        cell["id"]: sha256(
            json.dumps(
                [cell["cell_type"], _joined(cell["source"]), cell["metadata"].get("nbgrader")], sort_keys=True
            ).encode()
        ).hexdigest()[:16]
        for cell in cells
    }


def edited_cells(text: bytes) -> list[str] | None:
    """The ids of cells that a person changed, added or removed since we wrote this notebook; None if we did not."""
    try:
        notebook = json.loads(text)
        before, now = notebook["metadata"][OURS]["written"], digests(notebook["cells"])
        return sorted(id for id in {*before, *now} if before.get(id) != now.get(id))
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


def _joined(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)


def _text(id: str, source: str, marked: dict[str, Any] | None = None) -> Any:
    return new_markdown_cell(source, id=id, metadata={"nbgrader": marked} if marked else {})


def _code(id: str, source: str, marked: dict[str, Any] | None = None) -> Any:
    return new_code_cell(source, id=id, metadata={"nbgrader": marked} if marked else {})


def _header(course: Course, assignment: Assignment) -> str:
    worth = score(sum(exercise.points for exercise in assignment.exercises))
    question = f", and a question at the end for {score(REFLECTION_POINTS)} more, which a person reads"
    return (
        f"*{course.title}, version {course.version}*\n\n"
        f"This notebook holds {counted(len(assignment.exercises), 'exercise')} for {worth} points"
        f"{question if assignment.has_reflection else ''}.\n\n"
        "- Write each answer in its own cell, and leave the cell where it is. Cells of your own may stand anywhere.\n"
        "- An answer has to stand on what it imports, and on what cells above it define.\n"
        "- The checks run outside of this notebook, when it is graded. Every check that passes gives its points.\n"
        "- You can have each answer checked right here before: run your answer, then the cell that says so. That cell\n"
        "  hands nothing in."
    )


def _task(exercise: Exercise) -> str:
    names = ", ".join(f"`{name}`" for name in exercise.entry_points)
    what = "Find what is wrong in" if exercise.kind == "debug" else "Write"
    return (
        f"### Exercise {exercise.number:02d}: {exercise.title} ({_points(exercise)})\n\n"
        f"{what} {names} in the next cell. Its first lines say what goes in and what has to come out."
    )


def _answer(course: Course, exercise: Exercise, solution: str) -> str:
    try:
        make_stub(solution)
    except CourseError as error:
        raise CourseError(f"{course.solution_path(exercise)}: {error}") from None
    return solution.strip("\n")


def _examples(solution: str) -> list[str]:
    """The examples in the file's docstring as cells to run, each with its expected output."""
    cells: list[str] = []
    for example in doctest.DocTestParser().get_examples(ast.get_docstring(ast.parse(solution)) or ""):
        due = example.want.rstrip("\n").split("\n") if example.want else []
        source = example.source.rstrip("\n")
        # an example without output prepares the next one
        if cells and not _gives(cells[-1]):
            source = f"{cells.pop()}\n{source}"
        cells.append("\n".join([source, *("#> " + line for line in due)]))
    return [f"# An example: run it once your answer above has run.\n{cell}" for cell in cells]


def _gives(cell: str) -> bool:
    return "\n#> " in cell


def _check(exercise: Exercise, wheel: str) -> str:
    """The code is inside `try`, so that the intake adds nothing of it to answers, even if they use the name `kata`."""
    lines = (NOT_INSTALLED, *(line.format(wheel=wheel) for line in (FROM_WHEEL if wheel else FROM_INSTRUCTOR)))
    advice = "\n".join(f'    print("{line}")' for line in lines)
    return (
        "# Have your answer checked here, as often as you like: run its cell above, then this one.\n"
        "try:\n"
        "    import grader.in_notebook as kata\n\n"
        f'    kata.check("{exercise.id}")\n'
        "except ModuleNotFoundError:\n"
        f"{advice}"
    )


def _test(exercise: Exercise) -> str:
    """When nbgrader's Validate runs it, it fails unless every check passed; without our module it fails through stderr.

    The code is inside `try` as in the check cell.
    """
    return (
        f"# The checks of `{exercise.id}` run outside of this notebook, when it is graded: {_points(exercise)}.\n"
        "# Please leave this cell as it is; what the checks found will stand here. Until then, Validate runs it.\n"
        "try:\n"
        "    import grader.in_notebook as kata\n\n"
        f'    kata.validate("{exercise.id}")\n'
        "except ModuleNotFoundError:\n"
        "    import sys\n\n"
        f'    print("{NOT_VALIDATED}", file=sys.stderr)'
    )


def _points(exercise: Exercise) -> str:
    return f"{score(exercise.points)} {'point' if exercise.points == 1 else 'points'}"


def _question(title: str) -> str:
    return (
        f"### Looking back ({score(REFLECTION_POINTS)} points)\n\n"
        f"Explain “{title}” to a fellow student in five to ten sentences of your own: which step turns what into\n"
        "what, which shapes belong to it, and where one is most likely to go wrong. Choose one of your own errors and\n"
        "say how you found it."
    )
