"""The course folder for nbgrader: its settings, and a source notebook for each assignment.

A source notebook holds lesson, answers with solutions, examples, test cells, perhaps a reflection. The texts around
these and nbgrader's settings stand in course_folder.yml. There are two settings files, and nbgrader reads both. The
JSON file is ours, is read second, and is rewritten each time. The other one is the instructor's once it exists. So even
an error in it, for which nbgrader ignores the whole file, cannot make learners' code run without the wall. A notebook
that somebody has edited is the instructor's too: a digest of its cells is noted in it.
"""

from __future__ import annotations

import ast
import base64
import doctest
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import nbformat
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grader.course import FILE_NAME, Course, CourseError, Exercise, Unit
from grader.course.installed import refuse_exposed
from grader.course.stubs import make_stub
from grader.errors import KataError
from grader.files import write_file
from grader.render.wording import counted, score

from .cells import OURS, REFLECTION, id_of_test, marks

SETTINGS = "nbgrader_config.py"
OUR_SETTINGS = "nbgrader_config.json"
REFLECTION_POINTS = 2.0
"""Points for the reflection, given by a person."""

_TEXTS: dict[str, Any] = yaml.safe_load(Path(__file__).with_suffix(".yml").read_text("utf-8"))
_SECTION = re.compile(r"^(?=## +([0-9]{1,2})\b)", re.MULTILINE)
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_LINK_INTO_THE_COURSE = re.compile(r"(?<!!)\[([^\]]+)\]\((?![a-z]+:|#)[^)\s]+\)")
_INSTALLABLE = re.compile(r"(?:https://|file://|/)[^\s'\"\\{}$`?#]+\.whl")
"""One file for pip: a bare name would be looked up in an index."""
_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}


@dataclass(frozen=True)
class Assignment:
    """What one source notebook holds; `name` is that of the notebook and of nbgrader's assignment."""

    name: str
    exercises: tuple[Exercise, ...]
    has_reflection: bool = False


def assignments_of(
    course: Course, units: Sequence[Unit], only: Sequence[str], name: str, *, reflection: bool = False
) -> list[Assignment]:
    """The assignments to make a notebook of: one for each unit, or all that was chosen together as one.

    units: all if none is chosen. only: the ids of the exercises, if not all of the units. name: of the one
    notebook; "" for the unit's. reflection: whether each ends with a question that a person reads.
    Raises KataError for exercises that need a name, and for a name that cannot be used.
    """
    units = units or course.units
    if only and not name:
        raise KataError("Say what the assignment with these exercises is called, such as --name week1.")
    if not name:
        return [Assignment(unit.folder, unit.exercises, reflection) for unit in units]
    if not re.fullmatch(r"([0-9]{2}_)?[a-z][a-z0-9_]{0,57}", name):
        raise KataError(f"{name!r} cannot be an assignment's name: small letters, digits and `_`, such as week1.")
    chosen = set(only) or {each.id for unit in units for each in unit.exercises}
    return [Assignment(name, tuple(each for each in course.exercises if each.id in chosen), reflection)]


def write_folder(
    course: Course, folder: Path, assignments: Sequence[Assignment], *, wheel: str | None = None
) -> Iterator[str]:
    """Write the settings and the assignments' notebooks, and yield a line on each.

    The instructor's own settings, and source notebooks that somebody has edited, are never overwritten.
    wheel: the file or URL that learners install the checks from; None keeps the last one.
    Raises KataError for a course or folder that learners' code could read; CourseError when the course cannot be used.
    """
    refuse_exposed("full", course.root, folder)
    if wheel is None:
        wheel = ""
        with suppress(OSError, ValueError, LookupError, TypeError):
            wheel = str(json.loads((folder / OUR_SETTINGS).read_bytes())["KataNotebooks"]["wheel"])
    if wheel and not (_INSTALLABLE.fullmatch(wheel) and wheel.isprintable()):
        raise KataError(
            f"{wheel!r} is no wheel that a notebook can install. Give the whole path of a .whl file that learners can "
            "read, or its address, such as https://example.org/attention_kata-1.0-py3-none-any.whl, without blanks, "
            "quotes and other signs of a shell."
        )
    ours = {**_TEXTS["ours"], "KataAutograde": {"course": str(course.root / FILE_NAME)}}
    ours["KataNotebooks"] = {"wheel": wheel}
    files = {} if (folder / SETTINGS).exists() else {SETTINGS: _TEXTS["theirs"]}
    files[OUR_SETTINGS] = json.dumps(ours, indent=2) + "\n"
    for each in assignments:
        files[f"source/{each.name}/{each.name}.ipynb"] = _source_notebook(course, each, wheel)
    for name, text in files.items():
        path = folder / name
        if path.suffix == ".ipynb" and path.exists() and not _is_ours(path.read_bytes()):
            yield f"{path} was edited and stays as it is. To have it anew, move it away and run this again."
        else:
            write_file(path, text.encode("utf-8"), below=folder)
            yield str(path)


# --- a source notebook ----------------------------------------------------------------------------------------------


def _source_notebook(course: Course, assignment: Assignment, wheel: str) -> str:
    """The text of a source notebook; the same course gives the same text. Raises CourseError for an unusable file."""
    texts, most = _TEXTS["cells"], score(REFLECTION_POINTS)
    header = texts["header"].format(
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
        cells.append(_cell(new_markdown_cell, "reflection-question", texts["question"].format(points=most)))
        given = marks(REFLECTION, grade=True, solution=True, points=REFLECTION_POINTS)
        cells.append(_cell(new_markdown_cell, REFLECTION, "YOUR ANSWER HERE", given))  # as nbgrader releases it
    cells = [cell for cell in cells if cell["source"]]
    notebook = new_notebook(cells=cells, metadata={**_TEXTS["metadata"], OURS: {"written": _digest(cells)}})
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook, version=4)) + "\n"


def _cell(make: Any, id: str, source: str, marked: dict[str, Any] | None = None) -> Any:
    return make(source, id=id, metadata={"nbgrader": marked} if marked else {})


def _cells_of(course: Course, exercise: Exercise, section: str, wheel: str) -> Iterator[Any]:
    """The cells of one exercise: lesson, task, answer, examples, check, test."""
    texts, id, number = _TEXTS["cells"], exercise.id, f"{exercise.number:02d}"
    points = f"{score(exercise.points)} {'point' if exercise.points == 1 else 'points'}"
    path = course.solution_path(exercise)
    solution = path.read_text(encoding="utf-8")
    try:
        make_stub(solution)
    except CourseError as error:
        raise CourseError(f"{path}: {error}") from None
    task = texts["task"].format(
        number=number,
        title=exercise.title,
        points=points,
        what="Find what is wrong in" if exercise.kind == "debug" else "Write",
        names=", ".join(f"`{name}`" for name in exercise.entry_points),
    )
    how, more = texts["from_wheel" if wheel else "from_instructor"]
    check = texts["check"].format(id=id, how=how, more=more.format(wheel=wheel))
    given = marks(id_of_test(exercise), grade=True, locked=True, points=exercise.points)

    yield _cell(new_markdown_cell, f"{number}-lesson", section)
    yield _cell(new_markdown_cell, f"{number}-task", task)
    yield _cell(new_code_cell, f"{number}-answer", solution.strip("\n"), marks(id, solution=True))
    for count, example in enumerate(_examples(solution), start=1):
        yield _cell(new_code_cell, f"{number}-example-{count}", example)
    yield _cell(new_code_cell, f"{number}-check", check, marks(f"check-{id}", locked=True))
    test = _cell(new_code_cell, f"{number}-test", texts["test"].format(id=id, points=points), given)
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
        numbered = zip(map(int, parts[::2]), parts[1::2], strict=True)
        return _with_pictures(opening, path.parent), {n: _with_pictures(text, path.parent) for n, text in numbered}
    except OSError as error:
        raise CourseError(f"{error.filename} cannot be read ({error.strerror})") from None


def _with_pictures(text: str, folder: Path) -> str:
    """The text with its pictures as data URLs at its end: JupyterLab shows no attached SVG, and a link would break."""
    definitions: dict[str, str] = {}

    def define(found: re.Match[str]) -> str:
        path = Path(found[2])
        if (kind := _TYPES.get(path.suffix)) is None or "://" in found[2]:
            return found[0]
        content = base64.b64encode((folder / path).read_bytes()).decode("ascii")
        definitions[path.stem] = f"[{path.stem}]: data:{kind};base64,{content}"
        return f"![{found[1]}][{path.stem}]"

    # relative links do not work from the notebook's folder
    text = _LINK_INTO_THE_COURSE.sub(r"\1", _PICTURE.sub(define, text.strip("\n")))
    return "\n\n".join([text, *definitions.values()])


# --- what somebody edited -------------------------------------------------------------------------------------------


def _is_ours(text: bytes) -> bool:
    """Whether we wrote this notebook, and nobody has changed a cell since."""
    with suppress(ValueError, LookupError, TypeError, AttributeError):
        notebook = json.loads(text)
        return bool(notebook["metadata"][OURS]["written"] == _digest(notebook["cells"]))
    return False


def _digest(cells: Iterable[Mapping[str, Any]]) -> str:
    """A digest over what nbgrader and learners get of the cells; outputs are not part of it."""
    told = [[cell["cell_type"], "".join(cell["source"]), cell["metadata"].get("nbgrader")] for cell in cells]
    return sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
