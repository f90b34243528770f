"""Reads a notebook's cells, and makes source files of those that answer an exercise.

In the sandbox a cell's answer runs on its own, but in the notebook it could use what earlier cells defined. So what it
mentions of them is put in front of it: imports, functions, classes, and constants made from libraries alone. A constant
computed with the learner's own functions is left out: one unfinished exercise must not break the next. Nothing is put
in front of an unchanged stub, nor of a cell that is a whole file: that is taken to the byte, and provides nothing for
other cells.

A notebook made from files records which cells are whole files, and what was refused, and why. A learner could write
such metadata too. So it can only take away: a whole file gets nothing put in front of it, and a carried problem is a
sentence, shown as coming from elsewhere, which gives no points.
"""

from __future__ import annotations

import builtins
import json
import keyword
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

from grader.course import Exercise

from .clock import look_at_clock
from .names import ExerciseNames, printable
from .statements import (
    Statement,
    defined_names,
    defining_exercise,
    named_exercise,
    statements,
    without_futures,
    without_magics,
)
from .submission import Problem, ProblemKind, UnreadableError

KEY = "kata"
"""The key of our own metadata, of a cell or of the notebook."""
PROBLEMS = "problems"

TOLD = "Told at hand-in: "
"""Prefix of a carried sentence, so that it is not taken for one of the grader's own."""
MAX_CARRIED = 300
"""More problems than reading one submission can report."""
MAX_CHARACTERS = 600


def whole_file(exercise: str, name: str) -> dict[str, Any]:
    """Our metadata of a cell that holds a whole file; `name` says where the file was found."""
    return {"exercise": exercise, "file": name}


def exercise_of_file(metadata: Mapping[str, Any]) -> str | None:
    """The exercise id that a whole-file cell with this metadata answers; None for any other cell."""
    marks = metadata.get(KEY)
    if not isinstance(marks, Mapping) or not isinstance(marks.get("file"), str):
        return None
    exercise = marks.get("exercise")
    return exercise if isinstance(exercise, str) else ""


def listed(problems: Iterable[Problem]) -> list[list[str | None]]:
    """Encode problems for JSON."""
    return [[each.file, each.kind, each.message, each.exercise] for each in problems]


def carried_problems(metadata: Mapping[str, Any], names: ExerciseNames) -> tuple[Problem, ...]:
    """The problems in a notebook's metadata; malformed ones are left out."""
    marks = metadata.get(KEY)
    found = marks.get(PROBLEMS) if isinstance(marks, Mapping) else None
    rows = found[:MAX_CARRIED] if isinstance(found, list) else []
    return tuple(problem for row in rows if (problem := _problem(row, names)))


def _problem(row: object, names: ExerciseNames) -> Problem | None:
    if not isinstance(row, list) or len(row) != 4:
        return None
    file, kind, message, exercise = row
    if not isinstance(file, str) or not isinstance(message, str) or kind not in get_args(ProblemKind):
        return None
    if exercise is not None and not (isinstance(exercise, str) and names.by_id(exercise)):
        return None
    told = printable(TOLD + message.removeprefix(TOLD), MAX_CHARACTERS)
    return Problem(printable(file), kind, told, exercise)


NOTEBOOK_MB = 8
MAX_CELLS = 2000
MAX_CODE_KB = 512  # all code cells together; outputs with pictures make a notebook large, code does not

# Cells that begin with any other cell magic are written in another language.
_PYTHON_MAGICS = frozenset({"%%time", "%%timeit", "%%capture", "%%prun", "%%kata"})
# A constant may be made of these; functions that access the outside would find nothing in the sandbox.
_ALWAYS_THERE = (frozenset(dir(builtins)) | frozenset(keyword.kwlist)) - {
    "open",
    "input",
    "exec",
    "eval",
    "__import__",
}


@dataclass(frozen=True)
class CellAnswer:
    """A cell that answers an exercise, its number counted from 1 over all cells, and the source made of it."""

    exercise: Exercise
    number: int
    content: bytes


@dataclass(frozen=True)
class NotebookAnswers:
    """All answers in a notebook, the ambiguous cells, each with advice, and the problems carried in its metadata."""

    answers: tuple[CellAnswer, ...]
    unclear: tuple[tuple[int, str], ...]
    carried: tuple[Problem, ...]


@dataclass(frozen=True)
class _Cell:
    number: int
    text: str
    metadata: dict[str, Any]

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        return statements(self.text)

    @property
    def is_test(self) -> bool:
        return self._nbgrader.get("grade") is True and self._nbgrader.get("solution") is not True

    @property
    def is_given(self) -> bool:
        """Whether nbgrader marks this as a cell of the course's, which learners do not edit."""
        return self._nbgrader.get("locked") is True and self._nbgrader.get("solution") is not True

    @property
    def is_python(self) -> bool:
        first = self.text.lstrip().split(maxsplit=1)
        return not first or not first[0].startswith("%%") or first[0] in _PYTHON_MAGICS

    @cached_property
    def file_of(self) -> str | None:
        """The exercise id that the cell answers as a whole file, however it is spelt; None when it is not a file."""
        return exercise_of_file(self.metadata)

    @property
    def labels(self) -> tuple[str, ...]:
        """The exercise ids in the cell's metadata."""
        given = (self._nbgrader.get("grade_id"), _mapping(self.metadata.get("kata")).get("exercise"))
        return tuple(label.replace("-", "_") for label in given if isinstance(label, str))

    @property
    def _nbgrader(self) -> dict[str, Any]:
        return _mapping(self.metadata.get("nbgrader"))


def read_notebook(content: bytes, names: ExerciseNames) -> NotebookAnswers:
    """Return the answers in a notebook of format 3 or 4.

    Raises:
        UnreadableError: it is too large, damaged, or not a notebook.
    """
    notebook = _notebook(content)
    cells = [cell for cell in _code_cells(notebook) if not cell.is_test]
    written = [cell for cell in cells if cell.file_of is None]
    if sum(len(cell.text) for cell in written) > MAX_CODE_KB * 1024:
        raise UnreadableError(f"holds more than {MAX_CODE_KB} kB of code; hand in the answers alone")
    claimed, unclear = _claims(cells, names)
    namespace = _Namespace([cell for cell in written if cell.is_python])
    answers: list[CellAnswer] = []
    for exercise, claimants in claimed:
        different: dict[str, _Cell] = {}
        for cell in claimants:
            different.setdefault(cell.text, cell)
        for cell in different.values():
            look_at_clock()
            # several answers to one exercise do not count, so they need not run
            is_whole = len(different) > 1 or cell.file_of is not None or names.is_as_given(exercise, cell.text)
            source = cell.text if is_whole else namespace.source(cell)
            answers.append(CellAnswer(exercise, cell.number, source.encode("utf-8", "surrogatepass")))
    return NotebookAnswers(tuple(answers), unclear, carried_problems(_mapping(notebook.get("metadata")), names))


def _notebook(content: bytes) -> dict[str, Any]:
    if len(content) > NOTEBOOK_MB * 1024 * 1024:
        raise UnreadableError(f"is larger than {NOTEBOOK_MB} MB; clear its outputs and save it again")
    try:
        notebook = json.loads(content.decode("utf-8-sig"), parse_int=_no_number, parse_float=_no_number)
    except (ValueError, RecursionError):
        raise UnreadableError("is damaged or not a notebook; open it in Jupyter and save it again") from None
    if not isinstance(notebook, dict):
        raise UnreadableError("is not a notebook; open it in Jupyter and save it again")
    return notebook


def _no_number(digits: str) -> None:
    """Drop numbers: none are needed, and a huge one would take long to convert."""


def _code_cells(notebook: dict[str, Any]) -> list[_Cell]:
    if isinstance(worksheets := notebook.get("worksheets"), list):  # format 3
        listed = [cell for sheet in worksheets for cell in _cell_list(_mapping(sheet).get("cells"))]
    else:
        listed = _cell_list(notebook.get("cells"))
    if len(listed) > MAX_CELLS:
        raise UnreadableError(f"holds more than {MAX_CELLS} cells; hand in the answers alone")
    return [
        _cell(cell, number)
        for number, cell in enumerate(map(_mapping, listed), start=1)
        if cell.get("cell_type") == "code"
    ]


def _cell(cell: dict[str, Any], number: int) -> _Cell:
    text, metadata = _text(cell, number), _mapping(cell.get("metadata"))
    if exercise_of_file(metadata) is None:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _Cell(number, text, metadata)


def _cell_list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise UnreadableError("is not a notebook (it has no cells); open it in Jupyter and save it again")
    return value


def _text(cell: dict[str, Any], number: int) -> str:
    source = cell.get("source", cell.get("input"))
    parts: list[Any] = source if isinstance(source, list) else [source]
    if not all(isinstance(part, str) for part in parts):
        raise UnreadableError(f"is damaged (cell {number} has no text); open it in Jupyter and save it again")
    return "".join(parts)


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


_Claimed = list[tuple[Exercise, list[_Cell]]]


def _claims(cells: Sequence[_Cell], names: ExerciseNames) -> tuple[_Claimed, tuple[tuple[int, str], ...]]:
    claims: dict[str, list[_Cell]] = defaultdict(list)
    unnamed: list[_Cell] = []
    for cell in cells:
        look_at_clock()
        if cell.file_of is not None:
            if whole := names.by_id(cell.file_of):
                claims[whole.id].append(cell)
        elif exercise := _named(cell, names):
            claims[exercise.id].append(cell)
        elif cell.is_python and not cell.is_given:
            unnamed.append(cell)
    # if one cell is named for an exercise, others that define the same functions are drafts
    settled = frozenset(claims)
    unclear: list[tuple[int, str]] = []
    for cell in unnamed:
        finding = defining_exercise(defined_names(cell.statements), names)
        if settled.issuperset(exercise.id for exercise in finding.candidates):
            continue
        if finding.exercise:
            claims[finding.exercise.id].append(cell)
        elif finding.advice:
            unclear.append((cell.number, finding.advice))
    claimed = [(exercise, claims[exercise.id]) for exercise in names.exercises if exercise.id in claims]
    return claimed, tuple(unclear)


def _named(cell: _Cell, names: ExerciseNames) -> Exercise | None:
    for label in cell.labels:
        if exercise := names.by_id(label):
            return exercise
    return named_exercise(cell.text, defined_names(cell.statements), names)


class _Namespace:
    """The definitions in a notebook's cells, in order, for the cells that come after."""

    def __init__(self, cells: Iterable[_Cell]) -> None:
        self._entries = _usable([(cell.number, statement) for cell in cells for statement in cell.statements])
        self._binders: dict[str, list[int]] = defaultdict(list)
        for index, (_, statement) in enumerate(self._entries):
            for name in statement.binds:
                self._binders[name].append(index)

    def source(self, cell: _Cell) -> str:
        """Return the cell as a file of its own: what it needs from earlier cells, then the cell."""
        futures = [
            statement.text for number, statement in self._entries if statement.kind == "future" and number < cell.number
        ]
        support = self._support(cell)
        own = without_magics(cell.text)
        if not support and not futures:
            return own
        # these must come first in a file, and may be repeated
        futures += [statement.text for statement in cell.statements if statement.kind == "future"]
        return "".join([*dict.fromkeys(futures), *support, without_futures(own)])

    def _support(self, cell: _Cell) -> list[str]:
        own_names = {name for statement in cell.statements for name in statement.binds}
        mentioned = {name for statement in cell.statements for name in statement.mentions}
        waiting = (mentioned - own_names) | {"*"}  # a star import may provide any of the mentioned names
        wanted: set[int] = set()
        seen: set[str] = set()
        while waiting:
            seen |= waiting
            found = {
                index
                for name in waiting
                for index in self._binders.get(name, ())
                if self._entries[index][0] < cell.number
            } - wanted
            wanted |= found
            waiting = {name for index in found for name in self._entries[index][1].mentions} - seen
        return [self._entries[index][1].text for index in sorted(wanted)]


def _usable(entries: Sequence[tuple[int, Statement]]) -> list[tuple[int, Statement]]:
    """Keep what may be put in front of an answer; a constant may use only what comes before it."""
    usable: list[tuple[int, Statement]] = []
    available = set(_ALWAYS_THERE)
    for number, statement in entries:
        if statement.kind == "other" or (
            statement.kind == "assignment" and not available.issuperset(statement.mentions)
        ):
            continue
        if statement.kind in ("import", "assignment"):
            available |= statement.binds
        usable.append((number, statement))
    return usable
