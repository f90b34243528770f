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

REFLECTION_POINTS = 2.0
"""Points for the reflection, given by a person."""

_SECTION = re.compile(r"^(?=## +([0-9]{1,2})\b)", re.MULTILINE)
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_LINK_INTO_THE_COURSE = re.compile(r"(?<!!)\[([^\]]+)\]\((?![a-z]+:|#)[^)\s]+\)")
_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}
_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}

# --- the texts of its cells -----------------------------------------------------------------------------------------

_HEADER = """\
*{title}, version {version}*

This notebook holds {exercises} for {worth} points{reflection}.

- Write each answer in its own cell, and leave the cell where it is. Cells of your own may stand anywhere.
- An answer has to stand on what it imports, and on what cells above it define.
- The checks run outside of this notebook, when it is graded. Every check that passes gives its points.
- You can have each answer checked right here before: run your answer, then the cell that says so. That cell
  hands nothing in."""

_TASK = """\
### Exercise {number}: {title} ({points})

{what} {names} in the next cell. Its first lines say what goes in and what has to come out."""

# The code of this cell and the next is inside `try`, so that the intake adds nothing of it to answers, even if they use
# the name `kata`.
_CHECK = """\
# Have your answer checked here, as often as you like: run its cell above, then this one.
try:
    import grader.in_notebook as kata

    kata.check("{id}")
except ModuleNotFoundError:
    print("The checks are not installed where this notebook runs. You can hand in without them.")
{advice}"""
_FROM_WHEEL = """\
    print("To have them here, type this in a cell of your own, then restart the kernel:")
    print("%pip install {wheel}")"""
_FROM_INSTRUCTOR = """\
    print("To have them here, ask your instructor for the file to install.")
    print("Do not install it by a name: it is in no package index.")"""

# When nbgrader's Validate runs it, it fails unless every check passed; without our module it fails through stderr.
_TEST = """\
# The checks of `{id}` run outside of this notebook, when it is graded: {points}.
# Please leave this cell as it is; what the checks found will stand here. Until then, Validate runs it.
try:
    import grader.in_notebook as kata

    kata.validate("{id}")
except ModuleNotFoundError:
    import sys

    print("Not checked: the checks are not installed where this notebook runs. It can be handed in all the same.", \
file=sys.stderr)"""

_QUESTION = """\
### Looking back ({points} points)

Explain “{title}” to a fellow student in five to ten sentences of your own: which step turns what into
what, which shapes belong to it, and where one is most likely to go wrong. Choose one of your own errors and
say how you found it."""

_YOUR_ANSWER = "YOUR ANSWER HERE"  # as nbgrader releases it


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
    most = score(REFLECTION_POINTS)
    header = _HEADER.format(
        title=course.title,
        version=course.version,
        exercises=counted(len(assignment.exercises), "exercise"),
        worth=score(sum(exercise.points for exercise in assignment.exercises)),
        reflection=f", and a question at the end for {most} more, which a person reads" * assignment.has_reflection,
    )
    cells = [_cell(new_markdown_cell, "header", header)]
    for unit in course.units:
        if chosen := [each for each in unit.exercises if each in assignment.exercises]:
            opening, sections = _lesson(course, unit)
            cells.append(_cell(new_markdown_cell, f"{unit.folder[:2]}-unit", opening))
            for exercise in chosen:
                cells += _cells_of(course, exercise, sections.get(exercise.number, ""), wheel)
    if assignment.has_reflection:
        question = _QUESTION.format(points=most, title=assignment.title)
        cells.append(_cell(new_markdown_cell, "reflection-question", question))
        given = marks(REFLECTION, grade=True, solution=True, points=REFLECTION_POINTS)
        cells.append(_cell(new_markdown_cell, REFLECTION, _YOUR_ANSWER, given))
    cells = [cell for cell in cells if cell["source"]]
    notebook = new_notebook(cells=cells, metadata={**_METADATA, OURS: {"written": _digests(cells)}})
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook, version=4)) + "\n"


def _cell(make: Any, id: str, source: str, marked: dict[str, Any] | None = None) -> Any:
    return make(source, id=id, metadata={"nbgrader": marked} if marked else {})


def _cells_of(course: Course, exercise: Exercise, section: str, wheel: str) -> Iterator[Any]:
    """The cells of one exercise: lesson, task, answer, examples, check, test."""
    id, number = exercise.id, f"{exercise.number:02d}"
    points = f"{score(exercise.points)} {'point' if exercise.points == 1 else 'points'}"
    path = course.solution_path(exercise)
    solution = path.read_text(encoding="utf-8")
    try:
        make_stub(solution)
    except CourseError as error:
        raise CourseError(f"{path}: {error}") from None
    task = _TASK.format(
        number=number,
        title=exercise.title,
        points=points,
        what="Find what is wrong in" if exercise.kind == "debug" else "Write",
        names=", ".join(f"`{name}`" for name in exercise.entry_points),
    )
    advice = _FROM_WHEEL.format(wheel=wheel) if wheel else _FROM_INSTRUCTOR
    given = marks(id_of_test(exercise), grade=True, locked=True, points=exercise.points)

    yield _cell(new_markdown_cell, f"{number}-lesson", section)
    yield _cell(new_markdown_cell, f"{number}-task", task)
    yield _cell(new_code_cell, f"{number}-answer", solution.strip("\n"), marks(id, solution=True))
    for count, example in enumerate(_examples(solution), start=1):
        yield _cell(new_code_cell, f"{number}-example-{count}", example)
    check = _CHECK.format(id=id, advice=advice)
    yield _cell(new_code_cell, f"{number}-check", check, marks(f"check-{id}", locked=True))
    test = _cell(new_code_cell, f"{number}-test", _TEST.format(id=id, points=points), given)
    test["metadata"][OURS] = {"title": exercise.title}
    yield test


def _examples(solution: str) -> list[str]:
    """The examples in the file's docstring as cells to run, each with its expected output."""
    cells: list[str] = []
    for example in doctest.DocTestParser().get_examples(ast.get_docstring(ast.parse(solution)) or ""):
        expected = example.want.rstrip("\n").split("\n") if example.want else []
        source = example.source.rstrip("\n")
        # an example without output prepares the next one
        if cells and "\n#> " not in cells[-1]:
            source = f"{cells.pop()}\n{source}"
        cells.append("\n".join([source, *("#> " + line for line in expected)]))
    return [f"# An example: run it once your answer above has run.\n{cell}" for cell in cells]


def _lesson(course: Course, unit: Unit) -> tuple[str, dict[int, str]]:
    """A unit's lesson: the text before the first section, and each section by its exercise's number.

    Raises CourseError when it or one of its pictures cannot be read.
    """
    path = course.lesson_path(unit)
    try:
        opening, *parts = _SECTION.split(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CourseError(f"the lesson {path} cannot be read ({error.strerror})") from None
    numbered = zip(map(int, parts[::2]), parts[1::2], strict=True)
    return _with_pictures(opening, path.parent), {n: _with_pictures(text, path.parent) for n, text in numbered}


def _with_pictures(text: str, folder: Path) -> str:
    """The text with its pictures as data URLs at its end: JupyterLab shows no attached SVG, and a link would break."""
    definitions: dict[str, str] = {}

    def define(found: re.Match[str]) -> str:
        path = Path(found[2])
        if (kind := _TYPES.get(path.suffix)) is None or "://" in found[2]:
            return found[0]
        try:
            content = base64.b64encode((folder / path).read_bytes()).decode("ascii")
        except OSError as error:
            raise CourseError(f"the picture {folder / path} cannot be read ({error.strerror})") from None
        definitions[path.stem] = f"[{path.stem}]: data:{kind};base64,{content}"
        return f"![{found[1]}][{path.stem}]"

    # relative links do not work from the notebook's folder
    text = _LINK_INTO_THE_COURSE.sub(r"\1", _PICTURE.sub(define, text.strip("\n")))
    return "\n\n".join([text, *definitions.values()])


# --- what somebody edited -------------------------------------------------------------------------------------------


def edited_cells(text: bytes) -> list[str] | None:
    """The ids of cells that a person changed, added or removed since we wrote this notebook; None if we did not."""
    try:
        notebook = json.loads(text)
        before, now = notebook["metadata"][OURS]["written"], _digests(notebook["cells"])
        return sorted(id for id in {*before, *now} if before.get(id) != now.get(id))
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


def _digests(cells: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """A digest of each cell by its id, over what nbgrader and learners get of it; outputs are not part of it."""
    found = {}
    for cell in cells:
        source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        content = json.dumps([cell["cell_type"], source, cell["metadata"].get("nbgrader")], sort_keys=True)
        found[cell["id"]] = sha256(content.encode()).hexdigest()[:16]
    return found
